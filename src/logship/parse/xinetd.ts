import { wallOf } from '../time/clock.ts';
import { groupsOf, shaped, type Format } from './format.ts';

const BEGINS =
  /^(?<year>\d\d)\/(?<month>\d{1,2})\/(?<day>\d{1,2})@(?<hour>\d{1,2}):(?<minute>\d{1,2}):(?<second>\d{1,2}): /;
const LINE = /^(?<Timestamp>[\d/]+@[\d:]+): (?<Payload>.*)$/s;

/** xinetd: `26/11/20@8:15:42: START: mysqlchk from=10.0.0.1`. */
export function xinetd(): Format {
  return shaped({
    name: 'xinetd',
    begins: BEGINS,
    time(line, clock) {
      const wall = wallOf(BEGINS.exec(line));
      return clock.wall({ ...wall, year: 2000 + wall.year });
    },
    parse: (text) => (BEGINS.test(text) ? groupsOf(LINE, text) : undefined),
  });
}
