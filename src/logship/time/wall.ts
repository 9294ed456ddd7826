import type { Zone } from './zone.ts';

const MINUTE_MS = 60_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A wall clock time. Months are 1 to 12. Second 60 is a leap second. */
export interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
  /** How far the text's own zone is ahead of UTC, in minutes. */
  readonly ahead?: number | undefined;
}

/** What tells which time a wall clock means. */
export interface Near {
  readonly zone: Zone;
  /** See inOrder. */
  readonly lastMs: number;
  /** For times without a year. */
  readonly nearMs: number;
}

/**
 * A time that is further from what is known of a file may be wrong, such as that of a clock that was not set. Half a year: from nearer
 * ones a time without a year is still put in its own.
 */
export const FAR_MS = 184 * 24 * 60 * MINUTE_MS;
/** How much older than the line before it a line may be, since several processes write to a file. */
const DISORDER_MS = 10 * MINUTE_MS;

/**
 * Which of the two times of a repeated hour a line has: the times of a log rise, so it is the second one if the first has
 * passed. The same lines have the same times in a second reading, since only the line before decides.
 * @param lastMs the time of the last dated line before it; NaN if there is none
 */
export function inOrder(firstMs: number, secondMs: number, lastMs: number): number {
  return firstMs < lastMs - DISORDER_MS ? secondMs : firstMs;
}

/** Milliseconds since the epoch; NaN if there is no such time. */
export function timeOf(wall: Wall, { zone, lastMs }: Near): number {
  if (!exists(wall)) return NaN;
  const { year, month, day, hour, minute, ahead } = wall;
  const rest = wall.second * 1000 + wall.ms;
  if (ahead !== undefined) return Date.UTC(year, month - 1, day, hour, minute) - ahead * MINUTE_MS + rest;
  const first = zone(year, month, day, hour, minute);
  const second = zone(year, month, day, hour, minute, true);
  return inOrder(first + rest, second + rest, lastMs);
}

/** Of a time without a year: that of the year which brings it closest to `nearMs`. */
export function nearestTime(wall: Omit<Wall, 'year'>, near: Near): number {
  const year = new Date(near.nearMs).getUTCFullYear();
  let best = NaN;
  for (const guess of [year - 1, year, year + 1]) {
    const ms = timeOf({ ...wall, year: guess }, near);
    if (!Number.isNaN(ms) && !(Math.abs(ms - near.nearMs) >= Math.abs(best - near.nearMs))) best = ms;
  }
  return best;
}

/** The number of the month, 1 to 12; NaN if its name is unknown. */
export function monthNamed(name: string): number {
  return MONTHS.indexOf(name) + 1 || NaN;
}

function exists({ year, month, day, hour, minute, second }: Wall): boolean {
  if (!(hour <= 23 && minute <= 59 && second <= 60 && month >= 1 && month <= 12 && day >= 1)) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
