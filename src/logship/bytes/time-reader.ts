import { inOrder, type Clock } from '../time/clock.ts';
import type { FindTime, SharedMemory } from '../wasm/memory.ts';

const [SPACE, COLON] = [32, 58];
/** Length of `2026-11-20 08:15:`. */
const MINUTE_BYTES = 17;
/** The result of `time` in native/log-lines.ts. */
const OTHER_MINUTE = -2;

/** Reads the timestamps at the start of lines from their bytes. The time zone is evaluated once a minute. */
export class TimeReader {
  readonly #clock: Clock;
  readonly #find: FindTime;
  readonly #memory: SharedMemory;
  #firstMs = NaN;
  #secondMs = NaN;

  /** @param find `time` or `begins` */
  constructor(clock: Clock, memory: SharedMemory, find: FindTime) {
    this.#clock = clock;
    this.#find = find;
    this.#memory = memory;
  }

  /**
   * Milliseconds since the epoch of `2026-11-20 08:15:42.123`; NaN if there is no timestamp, or one in an unusual form.
   * @param lastMs see inOrder
   */
  read(bytes: Buffer, start: number, end: number, lastMs: number): number {
    const { byteOffset } = bytes;
    const { minute } = this.#memory;
    let ms = minute.of === this ? this.#find(byteOffset + start, byteOffset + end, minute.address) : OTHER_MINUTE;
    if (ms === OTHER_MINUTE && this.#enter(bytes, start, end))
      ms = this.#find(byteOffset + start, byteOffset + end, minute.address);
    return ms < 0 ? NaN : inOrder(this.#firstMs + ms, this.#secondMs + ms, lastMs);
  }

  /** Sets the minute from the start of a line. Returns false if the line does not start with one. */
  #enter(bytes: Buffer, start: number, end: number): boolean {
    if (end - start <= MINUTE_BYTES || bytes[start + 10] !== SPACE) return false;
    const [first, second] = this.#clock.minute(bytes.toString('latin1', start, start + MINUTE_BYTES));
    if (Number.isNaN(first) || bytes[start + MINUTE_BYTES - 1] !== COLON) return false;
    const { minute } = this.#memory;
    bytes.copy(minute.text, 0, start, start + MINUTE_BYTES);
    minute.of = this;
    this.#firstMs = first;
    this.#secondMs = second;
    return true;
  }
}
