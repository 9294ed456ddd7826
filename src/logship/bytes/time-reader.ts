import type { Clock } from '../parse/clock.ts';

const [ZERO, FIVE, NINE, DOT, COMMA, SPACE] = [48, 53, 57, 46, 44, 32];
/** `2026-11-20 08:15:` */
const MINUTE_BYTES = 17;
const SECOND_BYTES = 19;

/** Reads timestamps that start a line, from its bytes. The clock is asked once a minute. */
export class TimeReader {
  readonly #clock: Clock;
  readonly #minute = Buffer.alloc(MINUTE_BYTES);
  #minuteMs = NaN;
  /** Index after the time read last. */
  end = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the epoch of `2026-11-20 08:15:42.123`; NaN if there is none or it needs more care. */
  read(bytes: Buffer, start: number, end: number): number {
    if (end - start <= SECOND_BYTES + 1) return NaN;
    const minute = this.#minute;
    for (let i = 0; i < MINUTE_BYTES; i++) if (bytes[start + i] !== minute[i] && !this.#enter(bytes, start)) return NaN;
    const [tens, ones] = [bytes[start + MINUTE_BYTES]!, bytes[start + MINUTE_BYTES + 1]!];
    if (tens > FIVE || !isDigit(tens) || !isDigit(ones)) return NaN;
    let ms = this.#minuteMs + ((tens - ZERO) * 10 + ones - ZERO) * 1000;
    let at = start + SECOND_BYTES;
    const mark = bytes[at]!;
    if (mark !== DOT && mark !== COMMA) return NaN;
    at++;
    const first = at;
    for (let weight = 100; at < end && isDigit(bytes[at]!); at++, weight /= 10)
      if (weight >= 1) ms += (bytes[at]! - ZERO) * weight;
    this.end = at;
    return at === first ? NaN : ms;
  }

  /** Another minute. Returns whether it is one. */
  #enter(bytes: Buffer, start: number): boolean {
    if (bytes[start + 10] !== SPACE) return false;
    const ms = this.#clock.local(`${bytes.toString('latin1', start, start + MINUTE_BYTES)}00`);
    if (Number.isNaN(ms)) return false;
    bytes.copy(this.#minute, 0, start, start + MINUTE_BYTES);
    this.#minuteMs = ms;
    return true;
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
