import { wallOf } from '../time/clock.ts';
import { groupsOf, shaped, type Format } from './format.ts';

const BEGINS = /^(?<year>\d{4})\/(?<month>\d\d)\/(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)/;
const LINE = /^\S{10} \S{8} \[(?<log_level>[^\s\]]+)\] ?(?<Payload>.*)$/s;

/**
 * lego, the ACME client: `2026/11/20 08:15:42 [INFO] text`. Has no Timestamp field, for the same reason as Open
 * vSwitch.
 */
export function lego(): Format {
  return shaped({
    name: 'lego',
    begins: BEGINS,
    time: (line, clock) => clock.wall(wallOf(BEGINS.exec(line))),
    parse: (text) => (BEGINS.test(text) ? groupsOf(LINE, text) : undefined),
  });
}
