import { defined } from '../../core/defined.ts';
import { Clock, monthNamed, wallOf } from '../time/clock.ts';
import { shaped, type Fields, type Format } from './format.ts';
import type { Zone } from '../time/zone.ts';

const PRIORITY = /^<\d{1,3}>/;
const TIME_5424 = /^(?:<\d{1,3}>)?1 (\S+) /;
const LINE_TIME_3164 = /^(?:<\d{1,3}>)?(\w{3}) ([ \d]?\d) (\d\d):(\d\d):(\d\d) /;
/** Placeholder: the caller does not use the time. syslogTime() resolves it, with the zone. */
const NO_ARRIVAL = { atMs: 0, zone: () => 0 };

/** Syslog lines as written by `--syslog` (RFC 5424) or by other daemons (3164, with or without a priority). */
export function syslog(): Format {
  return shaped({ name: 'syslog', time: syslogTime, parse: syslogFields });
}

/** NaN for a line without a timestamp. If the year is missing, the year nearest to `nearMs` is used. */
export function syslogTime(line: string, clock: Clock, nearMs: number): number {
  const told = TIME_5424.exec(line)?.[1];
  if (told !== undefined) return Date.parse(told);
  const [, month, day, hour, minute, second] = LINE_TIME_3164.exec(line) ?? [];
  if (month === undefined) return NaN;
  const time = { month: monthNamed(month), day: Number(day), hour: Number(hour), minute: Number(minute) };
  return clock.nearest({ ...time, second: Number(second) }, nearMs);
}

/** Undefined for a line without priority and timestamp. */
export function syslogFields(line: string): Fields | undefined {
  const hasPriority = PRIORITY.test(line);
  if (!hasPriority && !TIME_5424.test(line) && !LINE_TIME_3164.test(line)) return undefined;
  const { facility, severity, host, program, pid, messageId, data, text } = parseSyslog(line, NO_ARRIVAL);
  return {
    ...(hasPriority ? { log_level: SEVERITIES[severity] ?? '', facility: FACILITIES[facility] ?? '' } : {}),
    ...defined({ Hostname: host, programname: program, Pid: pid, message_id: messageId, structured_data: data }),
    Payload: text,
  };
}

/** Facilities by number (RFC 5424, 6.2.1), with the names of syslog.conf. */
export const FACILITIES = (
  'kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock ' +
  'local0 local1 local2 local3 local4 local5 local6 local7'
).split(' ');
export const SEVERITIES = 'emerg alert crit err warning notice info debug'.split(' ');

/** A parsed datagram. Parts that it lacks are undefined. */
export interface SyslogMessage {
  /** The facility, 0 to 23. */
  readonly facility: number;
  /** The severity, 0 to 7. */
  readonly severity: number;
  /** The message's timestamp or, if it has none, its arrival, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly host: string | undefined;
  readonly program: string | undefined;
  readonly pid: string | undefined;
  readonly messageId: string | undefined;
  /** The structured data, unparsed: `[id key="value"]`. */
  readonly data: string | undefined;
  readonly text: string;
}

interface Arrival {
  /** The arrival in milliseconds since the epoch. */
  readonly atMs: number;
  /** The zone for timestamps without one. */
  readonly zone: Zone;
}

/** The priority of a datagram without one is user.notice (RFC 3164, 4.3.3). */
const NO_PRIORITY = 13;

const HEAD_5424 = /^1 (\S+) (\S+) (\S+) (\S+) (\S+) (-|(?:\[(?:[^\]\\]|\\.)*\])+)(?: |$)/s;
const TIME_3164 = /^(?<month>[A-Z][a-z]{2}) (?<day>[ \d]?\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) /;
const TAG = /^([^\s:[\]]{1,128})(?:\[([^\]\s]{1,128})\])?: ?/;

/** Parses RFC 5424, RFC 3164 as it is sent in practice (haproxy omits the host by default), or plain text. */
export function parseSyslog(datagram: string, arrival: Arrival): SyslogMessage {
  const priority = /^<(\d{1,3})>/.exec(datagram);
  const number = Number(priority?.[1] ?? NO_PRIORITY);
  const isPriority = priority !== null && number < FACILITIES.length * SEVERITIES.length;
  const rest = isPriority ? datagram.slice(priority[0].length) : datagram;
  const pri = isPriority ? number : NO_PRIORITY;
  const level = { facility: pri >> 3, severity: pri & 7 };
  return { ...level, ...(parse5424(rest, arrival) ?? parse3164(rest, arrival)) };
}

type Rest = Omit<SyslogMessage, 'facility' | 'severity'>;

function parse5424(text: string, { atMs }: Arrival): Rest | undefined {
  const head = HEAD_5424.exec(text);
  if (head === null) return undefined;
  const [all, time = '', host, program, pid, messageId, data] = head;
  const timeMs = time === '-' ? atMs : Date.parse(time);
  if (Number.isNaN(timeMs)) return undefined;
  return {
    timeMs,
    host: given(host),
    program: given(program),
    pid: given(pid),
    messageId: given(messageId),
    data: given(data),
    // RFC 5424 allows a byte order mark before UTF-8 text.
    text: text.slice(all.length).replace(/^\uFEFF/, ''),
  };
}

function given(word: string | undefined): string | undefined {
  return word === '-' ? undefined : word;
}

function parse3164(text: string, arrival: Arrival): Rest {
  const time = TIME_3164.exec(text);
  const timeMs = time === null ? NaN : time3164(time, arrival);
  const isTime = !Number.isNaN(timeMs);
  const behind = isTime ? text.slice(time?.[0].length) : text;
  // A word is a host only if it lacks the colon of a tag and follows a timestamp.
  const host = isTime && !TAG.test(behind) ? /^(\S+) (?=\S)/.exec(behind) : null;
  const tagged = host === null ? behind : behind.slice(host[0].length);
  const tag = TAG.exec(tagged);
  const isHost = host !== null && tag !== null;
  return {
    timeMs: isTime ? timeMs : arrival.atMs,
    host: isHost ? host[1] : undefined,
    program: tag?.[1],
    pid: tag?.[2],
    messageId: undefined,
    data: undefined,
    text: tag === null ? behind : tagged.slice(tag[0].length),
  };
}

/** Chooses the year that brings the time closest to its arrival. */
function time3164(found: RegExpExecArray, { atMs, zone }: Arrival): number {
  const clock = new Clock(zone);
  clock.lastMs = atMs;
  const nearest = clock.nearest(wallOf(found), atMs);
  // The header's resolution is a second: within the second of arrival, the arrival time is more precise.
  return atMs >= nearest && atMs < nearest + 1000 ? atMs : nearest;
}
