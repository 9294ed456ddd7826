import { wallOf } from '../time/clock.ts';
import { groupsOf, shaped, type Format } from './format.ts';

const BEGINS = /^\d+:[A-Za-z-]+ /;
const TIME =
  /^\d+:[A-Za-z-]+ (?<day>\d{1,2}) (?<month>\w{3}) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)\.(?<fraction>\d{1,3})/;
const LINE =
  /^(?<Pid>\d+):(?<Role>[A-Za-z-]+) (?:(?<Timestamp>\d+ \w+ \d+ \d+:\d+:\d+\.\d+) (?<LogLevel>.) )?(?<Payload>.*)$/s;

/** Valkey and Sentinel: `7:M 20 Nov 2026 08:15:42.123 * text`. Role and level have one character each. */
export function valkey(): Format {
  return shaped({
    name: 'valkey',
    begins: BEGINS,
    time: (line, clock) => clock.wall(wallOf(TIME.exec(line))),
    parse: (text) => groupsOf(LINE, text),
  });
}
