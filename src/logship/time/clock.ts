import type { Zone } from './zone.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const [ZERO, NINE, DASH, COLON, SPACE, T] = [48, 57, 45, 58, 32, 84];

/** A wall clock time. Months are 1 to 12. */
interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** Second 60 is a leap second. */
  readonly second: number;
  readonly ms?: number;
}

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

/**
 * Parses the timestamps of lines to milliseconds since the epoch, NaN if there is none. The start of a minute is
 * computed once, since lines are in order and no zone changes its offset within a minute.
 */
export class Clock {
  /** The time of the last dated line before the one to be parsed; NaN if there is none. See inOrder. */
  lastMs = NaN;
  readonly #zone: Zone;
  /** The text `2026-11-20 08:15`, and the starts of that minute, which are two in a repeated hour. */
  #minute = '-';
  #firstMs = NaN;
  #secondMs = NaN;
  /** The same minute in UTC, for times with a zone. */
  #utcMinute = '-';
  #utcMinuteMs = NaN;

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  /**
   * `2026-11-20 08:15:42.123` at the start of a text, in the zone of the logs. The dot may be a comma, and the space a
   * T. The fraction is optional; its digits after the third are ignored.
   */
  local(text: string): number {
    if (!this.#enter(text)) return NaN;
    if (text.charCodeAt(16) !== COLON || !isDigit(text, 17) || !isDigit(text, 18)) return NaN;
    const second = twoDigits(text, 17);
    if (second > 60) return NaN;
    const ms = second * 1000 + fraction(text, 19);
    return inOrder(this.#firstMs + ms, this.#secondMs + ms, this.lastMs);
  }

  /** The first and the second start of the minute at the start of a text; NaN if there is none. */
  minute(text: string): readonly [number, number] {
    return this.#enter(text) ? [this.#firstMs, this.#secondMs] : [NaN, NaN];
  }

  /**
   * The same, followed by a zone: `Z`, `UTC`, `+01:00`, `+0100` or `+01`, also after a space. Without one of these, the time
   * is in the zone of the logs.
   */
  zoned(text: string): number {
    const localMs = this.local(text);
    const ahead = Number.isNaN(localMs) ? undefined : minutesAhead(text);
    if (ahead === undefined) return localMs;
    if (this.#utcMinute !== this.#minute) {
      this.#utcMinute = this.#minute;
      this.#utcMinuteMs = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 16)}Z`);
    }
    return this.#utcMinuteMs + twoDigits(text, 17) * 1000 + fraction(text, 19) - ahead * MINUTE_MS;
  }

  /** A time in the zone of the logs that was parsed from any format. */
  wall(time: Wall): number {
    const [first, second] = this.#starts(time);
    return inOrder(first + rest(time), second + rest(time), this.lastMs);
  }

  /** A time in a zone that is the given number of minutes ahead of UTC. */
  utc(time: Wall, aheadMinutes: number): number {
    const { year, month, day, hour, minute } = time;
    return isWall(time) ? rest(time) + Date.UTC(year, month - 1, day, hour, minute) - aheadMinutes * MINUTE_MS : NaN;
  }

  /** A time without a year. The year is chosen that brings the time closest to `nearMs`. */
  nearest(time: Omit<Wall, 'year'>, nearMs: number): number {
    const year = new Date(nearMs).getUTCFullYear();
    let found = NaN;
    for (const guess of [year - 1, year, year + 1]) {
      const ms = this.wall({ ...time, year: guess });
      if (!Number.isNaN(ms) && !(Math.abs(ms - nearMs) >= Math.abs(found - nearMs))) found = ms;
    }
    return found;
  }

  /** Makes the minute at the start of a text the current one. Returns false if there is none. */
  #enter(text: string): boolean {
    if (text.startsWith(this.#minute)) return true;
    if (!isMinute(text)) return false;
    const [hour, minute] = [twoDigits(text, 11), twoDigits(text, 14)];
    const [year, month, day] = [twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8)];
    [this.#firstMs, this.#secondMs] = this.#starts({ year, month, day, hour, minute, second: 0 });
    this.#minute = text.slice(0, 16);
    return true;
  }

  #starts(time: Wall): readonly [number, number] {
    if (!isWall(time)) return [NaN, NaN];
    const { year, month, day, hour, minute } = time;
    return [this.#zone(year, month, day, hour, minute), this.#zone(year, month, day, hour, minute, true)];
  }
}

const ZONE = /^ ?(?:(?:Z|UTC|GMT)(?!\w)|(?<sign>[+-])(?<hours>0\d|1[0-4])(?::?(?<minutes>[0-5]\d))?(?!\d))/;

/** How far ahead of UTC the zone is that follows a time at the start of a text, in minutes; undefined if there is none. */
function minutesAhead(text: string): number | undefined {
  let at = 19;
  const mark = text.charCodeAt(at);
  if (mark === 46 || mark === 44) for (at++; isDigit(text, at); at++);
  const found = ZONE.exec(text.slice(at, at + 8));
  if (found === null) return undefined;
  const { sign, hours = '0', minutes = '0' } = found.groups ?? {};
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function isMinute(text: string): boolean {
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || text.charCodeAt(13) !== COLON) return false;
  if (text.charCodeAt(10) !== SPACE && text.charCodeAt(10) !== T) return false;
  for (const at of [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15]) if (!isDigit(text, at)) return false;
  return true;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

/** Milliseconds of the fraction `.5`, `,123` or `.123456` at that offset. */
function fraction(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code !== 46 && code !== 44) return 0;
  let ms = 0;
  for (let digit = 1, weight = 100; digit <= 3 && isDigit(text, at + digit); digit++, weight /= 10)
    ms += (text.charCodeAt(at + digit) - ZERO) * weight;
  return ms;
}

function rest({ second, ms = 0 }: Wall): number {
  return second * 1000 + ms;
}

/** Whether this date and time exist. */
function isWall({ year, month, day, hour, minute, second }: Wall): boolean {
  if (!(hour <= 23 && minute <= 59 && second <= 60 && month >= 1 && month <= 12 && day >= 1)) return false;
  return day <= 28 || day <= new Date(Date.UTC(year, month, 1) - DAY_MS).getUTCDate();
}

/**
 * The time matched by an expression, by its named groups: year, month (a number or `Nov`), day, hour, minute, second,
 * and fraction, the digits after the second. Groups without a match are NaN, which no clock accepts.
 */
export function wallOf(found: RegExpExecArray | null): Wall {
  const { year, month = '', day, hour, minute, second, fraction: digits = '' } = found?.groups ?? {};
  return {
    year: Number(year),
    month: /^\d/.test(month) ? Number(month) : monthNamed(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    ms: Number(digits.slice(0, 3).padEnd(3, '0')),
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The number of the month, 1 to 12; NaN if its name is unknown. */
export function monthNamed(name: string): number {
  return MONTHS.indexOf(name) + 1 || NaN;
}

const CTIME =
  /^\w{3} (?<month>\w{3}) {1,2}(?<day>\d{1,2}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d{1,6}))? (?<year>\d{4})/;

/**
 * C's `Fri Nov 20 08:15:42 2026` at the start of a text, with a fraction after the seconds as in Apache; NaN if it does
 * not match.
 */
export function ctime(text: string, clock: Clock): number {
  return clock.wall(wallOf(CTIME.exec(text)));
}
