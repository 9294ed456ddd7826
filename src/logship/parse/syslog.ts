import { FACILITIES, parseSyslog, SEVERITIES } from './syslog-message.ts';
import type { Clock } from './clock.ts';
import { shaped, type Fields, type Format } from './format.ts';
import { monthNamed } from './months.ts';

const PRIORITY = /^<\d{1,3}>/;
const TIME_5424 = /^(?:<\d{1,3}>)?1 (\S+) /;
const TIME_3164 = /^(?:<\d{1,3}>)?(\w{3}) ([ \d]?\d) (\d\d):(\d\d):(\d\d) /;
/** The time of a message is worked out where the zone is known. */
const NO_ARRIVAL = { atMs: 0, zone: () => 0 };

/** Lines of syslog as `--syslog` writes them (RFC 5424), or as others do (3164, with or without a priority). */
export function syslog(): Format {
  return shaped({ name: 'syslog', time: syslogTime, parse: syslogFields });
}

/** NaN for a line that has no time. A year that is not told is the nearest one. */
export function syslogTime(line: string, clock: Clock, nearMs: number): number {
  const told = TIME_5424.exec(line)?.[1];
  if (told !== undefined) return Date.parse(told);
  const [, month, day, hour, minute, second] = TIME_3164.exec(line) ?? [];
  if (month === undefined) return NaN;
  const time = { month: monthNamed(month), day: Number(day), hour: Number(hour), minute: Number(minute) };
  return clock.nearest({ ...time, second: Number(second) }, nearMs);
}

/** Undefined for a line without either of a priority and a time. */
export function syslogFields(line: string): Fields | undefined {
  const hasPriority = PRIORITY.test(line);
  if (!hasPriority && !TIME_5424.test(line) && !TIME_3164.test(line)) return undefined;
  const { facility, severity, host, program, pid, messageId, data, text } = parseSyslog(line, NO_ARRIVAL);
  return {
    ...(hasPriority ? { log_level: SEVERITIES[severity] ?? '', facility: FACILITIES[facility] ?? '' } : {}),
    ...(host === undefined ? {} : { Hostname: host }),
    ...(program === undefined ? {} : { programname: program }),
    ...(pid === undefined ? {} : { Pid: pid }),
    ...(messageId === undefined ? {} : { message_id: messageId }),
    ...(data === undefined ? {} : { structured_data: data }),
    Payload: text,
  };
}
