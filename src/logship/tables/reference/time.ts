import { monthNamed, nearestTime, timeOf, type Near, type Wall } from '../../time/wall.ts';
import { MAX_DATE_MS } from '../../time/zone.ts';

const [ZERO, SPACE, DOT, COMMA, COLON, PLUS, DASH] = [48, 32, 46, 44, 58, 43, 45];

/** What a layout found in a line, and the index after it; -1 if there is none. */
type Found = { -readonly [Key in keyof Wall]: Wall[Key] } & { at: number };

/** Reads a time of that layout. Undefined if the text has none. The time is NaN if it does not exist. */
export function timeAt(
  layout: string,
  bytes: Buffer,
  at: number,
  end: number,
  near: Near,
): { readonly at: number; readonly ms: number } | undefined {
  const found: Found = { year: NaN, month: 1, day: 1, hour: 0, minute: 0, second: 0, ms: 0, at };
  for (const letter of layout) {
    read(letter, found, bytes, end);
    if (found.at === -1) return undefined;
  }
  const ms = /[Yy]/.test(layout) ? timeOf(found, near) : nearestTime(found, near);
  return { at: found.at, ms: Math.abs(ms) <= MAX_DATE_MS ? ms : NaN };
}

function read(letter: string, found: Found, bytes: Buffer, end: number): void {
  switch (letter) {
    case 'Y': {
      const year = digits(found, bytes, end, 4, 4);
      found.year = year < 100 ? 1900 + year : year;
      return;
    }
    case 'y':
      found.year = 2000 + digits(found, bytes, end, 2, 2);
      return;
    case 'm':
    case 'n':
      found.month = digits(found, bytes, end, letter === 'm' ? 2 : 1, 2);
      return;
    case 'b':
      found.month = monthNamed(bytes.toString('latin1', found.at, Math.min(found.at + 3, end)));
      found.at = Number.isNaN(found.month) ? -1 : found.at + 3;
      return;
    case 'd':
      found.day = digits(found, bytes, end, 2, 2);
      return;
    case 'e':
      if (found.at < end && bytes[found.at] === SPACE) found.at++;
      found.day = digits(found, bytes, end, 1, 2);
      return;
    case 'H':
    case 'h':
      found.hour = digits(found, bytes, end, letter === 'H' ? 2 : 1, 2);
      return;
    case 'M':
    case 'N':
      found.minute = digits(found, bytes, end, letter === 'M' ? 2 : 1, 2);
      return;
    case 'S':
    case 's':
      found.second = digits(found, bytes, end, letter === 'S' ? 2 : 1, 2);
      return;
    case 'f':
    case 'F':
      return fraction(found, bytes, end, letter === 'F');
    case 'z':
    case 'Z':
    case 'a':
    case 'c':
      return zone(found, bytes, end, letter);
    case 'U':
      found.ahead = 0;
      return;
    case '_': {
      const from = found.at;
      while (found.at < end && bytes[found.at] === SPACE) found.at++;
      if (found.at === from) found.at = -1;
      return;
    }
    default:
      found.at = found.at < end && bytes[found.at] === letter.charCodeAt(0) ? found.at + 1 : -1;
  }
}

function digits(found: Found, bytes: Buffer, end: number, least: number, most: number): number {
  let value = 0;
  let at = found.at;
  while (at < end && at - found.at < most && isDigit(bytes[at]!)) value = value * 10 + bytes[at++]! - ZERO;
  found.at = at - found.at < least ? -1 : at;
  return value;
}

function fraction(found: Found, bytes: Buffer, end: number, isRequired: boolean): void {
  const mark = found.at < end ? bytes[found.at] : 0;
  let at = found.at + 1;
  if ((mark !== DOT && mark !== COMMA) || at >= end || !isDigit(bytes[at]!)) {
    if (isRequired) found.at = -1;
    return;
  }
  for (let weight = 100; at < end && isDigit(bytes[at]!); at++, weight = Math.floor(weight / 10))
    found.ms += (bytes[at]! - ZERO) * weight;
  found.at = at;
}

function zone(found: Found, bytes: Buffer, end: number, letter: string): void {
  const hasSpace = letter === 'a' && found.at < end && bytes[found.at] === SPACE;
  const from = hasSpace ? found.at + 1 : found.at;
  const ahead = (letter === 'c' ? undefined : universal(bytes, from, end)) ?? offset(bytes, from, end, letter === 'c');
  if (ahead !== undefined) {
    found.ahead = ahead.minutes;
    found.at = ahead.at;
  } else if (letter === 'Z') found.at = -1;
}

interface Ahead {
  readonly minutes: number;
  readonly at: number;
}

function universal(bytes: Buffer, from: number, end: number): Ahead | undefined {
  for (const name of ['Z', 'UTC', 'GMT']) {
    const at = from + name.length;
    if (at > end || bytes.toString('latin1', from, at) !== name) continue;
    if (at === end || !isWord(bytes[at]!)) return { minutes: 0, at };
  }
  return undefined;
}

function offset(bytes: Buffer, from: number, end: number, isLong: boolean): Ahead | undefined {
  const sign = from < end ? bytes[from] : 0;
  if ((sign !== PLUS && sign !== DASH) || from + 3 > end) return undefined;
  const hours = pair(bytes, from + 1, end);
  if (hours > 14) return undefined;
  const hasColon = from + 3 < end && bytes[from + 3] === COLON;
  if (isLong && !hasColon) return undefined;
  const minutesAt = from + (hasColon ? 4 : 3);
  const minutes = pair(bytes, minutesAt, end);
  const direction = sign === DASH ? -1 : 1;
  const long = { minutes: direction * (hours * 60 + minutes), at: minutesAt + 2 };
  const isEnd = (at: number) => at >= end || !isDigit(bytes[at]!);
  if (minutes <= 59 && (isLong || isEnd(long.at))) return long;
  return !isLong && isEnd(from + 3) ? { minutes: direction * hours * 60, at: from + 3 } : undefined;
}

/** The number that two digits are; Infinity if they are none. */
function pair(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end || !isDigit(bytes[at]!) || !isDigit(bytes[at + 1]!)) return Infinity;
  return (bytes[at]! - ZERO) * 10 + bytes[at + 1]! - ZERO;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 57;
}

function isWord(byte: number): boolean {
  return isDigit(byte) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte === 95;
}
