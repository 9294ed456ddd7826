import { wallOf, type Clock } from '../time/clock.ts';
import { groupsOf, requestFields, shaped, type Fields, type Format } from './format.ts';
import { syslogFields, syslogTime } from './syslog.ts';

const HEAD = String.raw`^(?<client>\S+):(?<client_port>\d+) \[(?<accepted>[^\]]+)\] (?<frontend>\S+) (?<backend>[^\s/]+)\/(?<server>\S+) `;
const COUNTS = String.raw`(?<connections>[\d+]+\/[\d+]+\/[\d+]+\/[\d+]+\/[\d+]+) (?<queues>\d+\/\d+)`;
const HTTP = new RegExp(
  `${HEAD}(?<timers>[-\\d+]+(?:\\/[-\\d+]+){4}) (?<status>-?\\d+) (?<bytes>\\+?\\d+) (?<request_cookie>\\S+) (?<response_cookie>\\S+) ` +
    `(?<termination_state>\\S{4}) ${COUNTS}(?: \\{(?<request_headers>[^}]*)\\})?(?: \\{(?<response_headers>[^}]*)\\})? "(?<request>.*)"?$`,
  's',
);
const TCP = new RegExp(
  `${HEAD}(?<timers>[-\\d+]+(?:\\/[-\\d+]+){2}) (?<bytes>\\+?\\d+) (?<termination_state>\\S{2}) ${COUNTS}$`,
);
const ACCEPTED =
  /\[(?<day>\d\d)\/(?<month>\w{3})\/(?<year>\d{4}):(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)\.(?<fraction>\d{3})\]/;
const NUMBERS = ['client_port', 'status', 'bytes'];

/**
 * HAProxy's `option httplog` and `option tcplog`, as syslog lines or bare. As in Kolla the payload is the message;
 * fields are added to it. The timestamp is syslog's, or the connection's for a bare line.
 */
export function haproxy(): Format {
  return shaped({
    name: 'haproxy',
    time(line, clock, nearMs) {
      const ms = syslogTime(line, clock, nearMs);
      return Number.isNaN(ms) ? accepted(line, clock) : ms;
    },
    parse(text) {
      const fields = syslogFields(text) ?? { Payload: text };
      return { ...fields, ...messageFields(String(fields['Payload'])) };
    },
  });
}

function messageFields(message: string): Fields {
  const groups = groupsOf(HTTP, message) ?? groupsOf(TCP, message);
  if (groups === undefined) return {};
  const { accepted: _, request, ...rest } = groups;
  const fields: Fields = { ...rest, ...(request !== undefined && requestFields(request.replace(/"$/, ''))) };
  for (const name of NUMBERS) if (fields[name] !== undefined) fields[name] = Number(fields[name]);
  return fields;
}

function accepted(line: string, clock: Clock): number {
  return clock.wall(wallOf(ACCEPTED.exec(line)));
}
