import type { Clock } from '../parse/clock.ts';
import type { FindTime, SharedMemory } from './memory.ts';

const SPACE = 32;
/** Length of `2026-11-20 08:15:`. */
const MINUTE_BYTES = 17;
/** The result of `time` in native/log-lines.ts. */
const OTHER_MINUTE = -2;

/** Reads the timestamps at the start of lines from their bytes. The time zone is evaluated once a minute. */
export class TimeReader {
  readonly #clock: Clock;
  readonly #find: FindTime;
  readonly #memory: SharedMemory;
  #minuteMs = NaN;

  /** @param find `time` or `begins` */
  constructor(clock: Clock, memory: SharedMemory, find: FindTime) {
    this.#clock = clock;
    this.#find = find;
    this.#memory = memory;
  }

  /**
   * Milliseconds since the epoch of `2026-11-20 08:15:42.123`; NaN if there is no timestamp, or one in an unusual form.
   */
  read(bytes: Buffer, start: number, end: number): number {
    const { byteOffset } = bytes;
    const { minute } = this.#memory;
    let ms = minute.of === this ? this.#find(byteOffset + start, byteOffset + end, minute.address) : OTHER_MINUTE;
    if (ms === OTHER_MINUTE && this.#enter(bytes, start, end))
      ms = this.#find(byteOffset + start, byteOffset + end, minute.address);
    return ms < 0 ? NaN : this.#minuteMs + ms;
  }

  /** Sets the minute from the start of a line. Returns false if the line does not start with one. */
  #enter(bytes: Buffer, start: number, end: number): boolean {
    if (end - start <= MINUTE_BYTES || bytes[start + 10] !== SPACE) return false;
    const ms = this.#clock.local(`${bytes.toString('latin1', start, start + MINUTE_BYTES)}00`);
    if (Number.isNaN(ms)) return false;
    const { minute } = this.#memory;
    bytes.copy(minute.text, 0, start, start + MINUTE_BYTES);
    minute.of = this;
    this.#minuteMs = ms;
    return true;
  }
}
