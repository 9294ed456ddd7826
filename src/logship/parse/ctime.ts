import type { Clock } from './clock.ts';
import { wallOf } from './wall.ts';

const CTIME =
  /^\w{3} (?<month>\w{3}) {1,2}(?<day>\d{1,2}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d{1,6}))? (?<year>\d{4})/;

/** C's `Fri Nov 20 08:15:42 2026` at a text's beginning, as Apache with a fraction behind the seconds; NaN where it is none. */
export function ctime(text: string, clock: Clock): number {
  return clock.wall(wallOf(CTIME.exec(text)));
}
