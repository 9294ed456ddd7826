import { offsetAt, type ZoneTable } from './zone-table.ts';

/**
 * Milliseconds since the epoch of a minute on a wall clock. Months are 1 to 12. A minute that a change skips is as long
 * after the change as it was meant to be before it, as with Date and Python.
 * @param isSecond of a minute that a change repeats, the second one
 */
export type Zone = (
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  isSecond?: boolean,
) => number;

const DAY_MS = 86_400_000;
/** The largest value of a Date, in ECMA-262. */
export const MAX_DATE_MS = 8.64e15;

/** The host resolves a wall clock in the same way (native/log.h). */
export function zoneOf(table: ZoneTable): Zone {
  return (year, month, day, hour, minute, isSecond = false) => {
    const wall = Date.UTC(year, month - 1, day, hour, minute);
    // No zone changes twice within two days.
    const [before, after] = [offsetAt(table, wall - DAY_MS), offsetAt(table, wall + DAY_MS)];
    const [old, next] = [wall - before, wall - after];
    const isOld = offsetAt(table, old) === before;
    const isNext = offsetAt(table, next) === after;
    return isNext && (isSecond || !isOld) ? next : old;
  };
}
