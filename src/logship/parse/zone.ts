/** Milliseconds since the epoch of a minute on a wall clock. Months are 1 to 12. */
export type Zone = (year: number, month: number, day: number, hour: number, minute: number) => number;

const DAY_MS = 86_400_000;
/** The largest value of a Date, in ECMA-262. */
export const MAX_DATE_MS = 8.64e15;
const OFFSET = /^([+-])(\d\d):?(\d\d)$/;

/**
 * The time zone of the logs: `local` (TZ or /etc/localtime, as in fluentd), `UTC`, `+05:30`, or a name such as
 * Europe/Berlin. An ambiguous hour is the first of the two. Throws RangeError.
 */
export function zoneNamed(name: string): Zone {
  if (name === 'local') return (y, mo, d, h, mi) => new Date(y, mo - 1, d, h, mi).getTime();
  if (/^(utc|z)$/i.test(name)) return utc;
  const offset = OFFSET.exec(name);
  if (offset) {
    const minutes = (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]));
    return (...minute) => utc(...minute) - minutes * 60_000;
  }
  return byName(name);
}

function utc(year: number, month: number, day: number, hour: number, minute: number): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

function byName(name: string): Zone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new RangeError(`'${name}' is not a time zone such as UTC, +02:00 or Europe/Berlin`, { cause });
  }
  const offsetMs = (at: number): number => {
    // Intl throws for times outside of Date's range.
    if (!(Math.abs(at) <= MAX_DATE_MS)) return NaN;
    const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
  return (...minute) => {
    const wall = utc(...minute);
    // The previous day has the offset before a change, which applies to the first of two ambiguous hours.
    const before = offsetMs(wall - DAY_MS);
    const first = wall - before;
    const offset = offsetMs(first);
    return offset === before ? first : wall - offset;
  };
}
