import { wallOf, type Clock } from '../time/clock.ts';
import { groupsOf, requestFields, shaped, type Fields, type Format } from './format.ts';

const QUOTED = '(?:[^"\\\\]|\\\\.)*';
/** The quantifiers are bounded, so that no line is slow to match. */
const LINE = new RegExp(
  `^(?<client>[^\\s,]{1,200}(?:, ?[^\\s,]{1,200}){0,20}) (?<ident>\\S{1,100}) (?<user>\\S.{0,100}?) \\[(?<time>[^\\]]{1,40})\\] (?:"(?<seconds>\\d+\\.\\d+)" "[-\\d., :]{1,200}" )?"(?<request>${QUOTED})" ` +
    `(?<status>\\d{3}|-) (?<bytes>\\d+|-)(?: (?<duration_us>\\d+))?(?: "(?<referer>${QUOTED})" "(?<agent>${QUOTED})")?`,
);
const TIME =
  /\[(?<day>\d\d)\/(?<month>\w{3})\/(?<year>\d{4}):(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<sign>[+-])(?<ahead>\d\d)(?<aheadMinutes>\d\d)\]/;

/**
 * Apache's access log in Kolla's format (forwarded client, response time in microseconds), and its common and combined
 * formats; nginx's in Skyline's format (response time in seconds). As in Kolla the payload is the whole line; fields are added to it.
 */
export function apacheAccess(): Format {
  return shaped({ name: 'apache-access', time: clfTime, parse });
}

function clfTime(line: string, clock: Clock): number {
  const found = TIME.exec(line);
  const { sign, ahead, aheadMinutes } = found?.groups ?? {};
  return clock.utc(wallOf(found), (sign === '-' ? -1 : 1) * (Number(ahead) * 60 + Number(aheadMinutes)));
}

function parse(text: string): Fields | undefined {
  const groups = groupsOf(LINE, text);
  if (groups === undefined) return undefined;
  const {
    client = '-',
    user = '-',
    request = '',
    status,
    bytes,
    duration_us: duration,
    seconds,
    referer = '-',
    agent = '-',
  } = groups;
  const fields: Fields = { Payload: text };
  if (client !== '-') fields['client'] = client;
  if (user !== '-') fields['user'] = user;
  Object.assign(fields, requestFields(request));
  if (status !== '-') fields['status'] = Number(status);
  // Apache writes - for an empty response.
  fields['bytes'] = bytes === '-' ? 0 : Number(bytes);
  if (duration !== undefined) fields['duration_us'] = Number(duration);
  if (seconds !== undefined) fields['duration_us'] = Math.round(Number(seconds) * 1e6);
  if (referer !== '-') fields['referer'] = referer;
  if (agent !== '-') fields['agent'] = agent;
  return fields;
}
