import type { Clock } from '../time/clock.ts';
import type { SharedMemory } from '../wasm/memory.ts';
import { TimeReader } from './time-reader.ts';

/** Converts lines of one file to documents without creating strings. */
export interface LineFormat {
  /** Whether each line is an event. Otherwise a line that begins an event ends the previous event of its process. */
  readonly isAlone: boolean;
  /** ID of the process that wrote the last line passed to `begins`. */
  readonly pid: number;
  /** The text after the timestamp in a document. */
  readonly middle: string;
  /** The text that ends a document. */
  readonly tail: string;
  /**
   * The time of a line that begins an event, in milliseconds since the epoch; NaN if the line needs the string parser.
   * @param lastMs the time of the last dated line before it; NaN if there is none
   */
  begins(chunk: Buffer, start: number, end: number, lastMs: number): number;
  /**
   * Writes the line's document at that index of a buffer with enough room.
   * @returns the index after the document; 0 if the line needs the string parser
   */
  write(
    to: Buffer,
    at: number,
    chunk: Buffer,
    start: number,
    end: number,
    head: Buffer,
    headBytes: number,
    tail: Buffer,
    tailBytes: number,
  ): number;
}

/**
 * Maximum number of bytes that `write` adds to twice the line, the head and the tail: the keys, and bytes that it
 * touches beyond the end.
 */
export const MOST_ADDED_BYTES = 1024;

export function rawLines(tail: string, clock: Clock, memory: SharedMemory): LineFormat {
  const { functions } = memory;
  const times = new TimeReader(clock, memory, functions.time);
  return {
    isAlone: true,
    pid: 0,
    middle: '","message":"',
    tail: `"${tail}`,
    begins: (chunk, start, end, lastMs) => times.read(chunk, start, end, lastMs),
    write(to, at, { byteOffset }, start, end, head, headBytes, rest, tailBytes) {
      const address = to.byteOffset;
      const [from, behind] = [byteOffset + start, byteOffset + end];
      const next = functions.raw(address + at, from, behind, head.byteOffset, headBytes, rest.byteOffset, tailBytes);
      return next === 0 ? 0 : next - address;
    },
  };
}

/** Same result as Oslo and kollaSchema, for a line that begins an event and contains nothing unusual. */
export function osloLines(tail: string, clock: Clock, memory: SharedMemory): LineFormat {
  const { functions, keys } = memory;
  const times = new TimeReader(clock, memory, functions.begins);
  return {
    isAlone: false,
    middle: '',
    tail: `"${tail}`,
    begins: (chunk, start, end, lastMs) => times.read(chunk, start, end, lastMs),
    get pid() {
      return functions.pidOf();
    },
    write(to, at, { byteOffset }, start, end, head, headBytes, rest, tailBytes) {
      const next = functions.oslo(
        to.byteOffset + at,
        byteOffset + start,
        byteOffset + end,
        head.byteOffset,
        headBytes,
        rest.byteOffset,
        tailBytes,
        keys.byteOffset,
      );
      return next === 0 ? 0 : next - to.byteOffset;
    },
  };
}
