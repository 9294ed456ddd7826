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

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The largest value of a Date, in ECMA-262. */
export const MAX_DATE_MS = 8.64e15;
const OFFSET = /^([+-])(\d\d):?(\d\d)$/;

/**
 * The time zone of the logs: `local` (TZ or /etc/localtime, as in fluentd), `UTC`, `+05:30`, or a name such as
 * Europe/Berlin. Throws RangeError.
 */
export function zoneNamed(name: string): Zone {
  if (name === 'local') return byOffset((at) => -new Date(at).getTimezoneOffset() * MINUTE_MS);
  if (/^(utc|z)$/i.test(name)) return utc;
  const offset = OFFSET.exec(name);
  if (offset) {
    const minutes = (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]));
    return (...minute) => utc(...minute) - minutes * MINUTE_MS;
  }
  return byName(name);
}

function utc(...[year, month, day, hour, minute]: Parameters<Zone>): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

function byName(name: string): Zone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new RangeError(`'${name}' is not a time zone such as UTC, +02:00 or Europe/Berlin`, { cause });
  }
  return byOffset((at) => {
    // Intl throws for times outside of Date's range.
    if (!(Math.abs(at) <= MAX_DATE_MS)) return NaN;
    const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  });
}

/** @param offsetMs the zone's distance from UTC at a time */
function byOffset(offsetMs: (at: number) => number): Zone {
  return (year, month, day, hour, minute, isSecond = false) => {
    const wall = utc(year, month, day, hour, minute);
    // No zone changes twice within two days.
    const [before, after] = [offsetMs(wall - DAY_MS), offsetMs(wall + DAY_MS)];
    const [old, next] = [wall - before, wall - after];
    const isOld = offsetMs(old) === before;
    const isNext = offsetMs(next) === after;
    return isNext && (isSecond || !isOld) ? next : old;
  };
}
