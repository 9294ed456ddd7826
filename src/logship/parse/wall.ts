import type { Wall } from './clock.ts';
import { monthNamed } from './months.ts';

/**
 * The time that an expression found, by the names of its groups: year, month (a number or `Nov`), day, hour, minute, second,
 * and fraction, the digits behind the second. What it did not find is NaN, which no clock takes for a time.
 */
export function wallOf(found: RegExpExecArray | null): Wall {
  const { year, month = '', day, hour, minute, second, fraction = '' } = found?.groups ?? {};
  return {
    year: Number(year),
    month: /^\d/.test(month) ? Number(month) : monthNamed(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    ms: Number(fraction.slice(0, 3).padEnd(3, '0')),
  };
}
