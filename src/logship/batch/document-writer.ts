import type { Content } from '../read/contents.ts';
import { Stamp } from '../time/stamp.ts';
import { DIGEST_DIGITS } from '../position/line-digest.ts';
import { MOST_ADDED_BYTES, type LineFormat } from '../bytes/line-format.ts';
import type { SharedMemory } from '../wasm/memory.ts';

/** An event of one line, as bytes in the reader's buffer. */
export interface LineEvent {
  readonly content: Content;
  readonly offset: number;
  readonly timeMs: number;
  /** Undefined after it was converted to a string. */
  readonly chunk: Buffer | undefined;
  readonly start: number;
  readonly end: number;
}

const HEAD_BYTES = 1024;
const TAIL_BYTES = 32 * 1024;
/** Length of `2026-11-20T08:15:42.123Z`, and of its part before the seconds. */
const STAMP_LENGTH = 24;
const SECONDS = 17;
const MINUTE_MS = 60_000;
/** Number of digits of an offset in an ID: see documentId. */
const OFFSET_DIGITS = 9;
/** Number of values of the offset's last five digits. More digits would not fit an unsigned integer. */
const LOW = 36 ** 5;
/** The text after an ID. */
export const CLOSING = '"}}\n';

/**
 * Writes documents from the bytes of lines, with the same IDs and contents as from strings. The text before a line is
 * built once a minute and not once a second, because lines of several processes are not in order; the ID's digits and the
 * seconds are written for each line.
 */
export class DocumentWriter {
  readonly #opening: (day: string) => string;
  readonly #stamp = new Stamp();
  readonly #head: Buffer;
  readonly #tail: Buffer;
  #headBytes = 0;
  #tailBytes = 0;
  #format: LineFormat | undefined;
  #name = '';
  #hasDigest = false;
  #minuteMs = NaN;
  /** Indexes of the offset within the ID, and of the seconds. */
  #idAt = 0;
  #stampAt = 0;
  readonly #memory: SharedMemory;

  /** @param opening see Sink */
  constructor(memory: SharedMemory, opening: (day: string) => string) {
    this.#memory = memory;
    this.#opening = opening;
    this.#head = memory.text(HEAD_BYTES);
    this.#tail = memory.text(TAIL_BYTES);
  }

  /** Number of free bytes that `write` needs in the buffer; 0 if the event must be converted to a string. */
  roomFor({ content, chunk, start, end }: LineEvent): number {
    const format = content.parser.lines;
    if (chunk === undefined || format === undefined) return 0;
    return 2 * (end - start) + HEAD_BYTES + 3 * format.tail.length + MOST_ADDED_BYTES;
  }

  /**
   * Writes an event at that index.
   * @returns the index after the event; 0 if it must be converted to a string
   */
  write(to: Buffer, at: number, { content, offset, timeMs, chunk, start, end }: LineEvent): number {
    const format = content.parser.lines;
    if (format === undefined || chunk === undefined || !this.#memory.has(to)) return 0;
    const { generation } = content;
    const hasDigest = offset >= generation.digestFrom;
    if (!this.#enter(format, generation.nameAt(offset), hasDigest, timeMs)) return 0;
    const high = Math.floor(offset / LOW);
    const { byteOffset } = this.#head;
    const [id, stampAt] = [byteOffset + this.#idAt, byteOffset + this.#stampAt];
    const lineEnd = hasDigest ? chunk.byteOffset + end : 0;
    const from = chunk.byteOffset + start;
    this.#memory.functions.number(id, high, offset - high * LOW, from, lineEnd, stampAt, timeMs - this.#minuteMs);
    return format.write(to, at, chunk, start, end, this.#head, this.#headBytes, this.#tail, this.#tailBytes);
  }

  /**
   * Builds the head for this format, name and minute if it is not the current one. Returns false if the head cannot be
   * built, for example because it does not fit.
   */
  #enter(format: LineFormat, name: string, hasDigest: boolean, timeMs: number): boolean {
    const rest = timeMs - this.#minuteMs;
    const isName = name === this.#name && hasDigest === this.#hasDigest;
    if (format === this.#format && isName && rest >= 0 && rest < MINUTE_MS) return true;
    this.#format = undefined;
    const stamp = this.#stamp.iso(timeMs);
    const opening = `${this.#opening(this.#stamp.day)}${name}`;
    const digits = '0'.repeat(OFFSET_DIGITS + (hasDigest ? DIGEST_DIGITS : 0));
    const before = `${opening}${digits}${CLOSING}{"@timestamp":"`;
    const head = `${before}${stamp}${format.middle}`;
    const { tail } = format;
    const fits = head.length <= HEAD_BYTES && Buffer.byteLength(tail) <= TAIL_BYTES;
    if (!fits || stamp.length !== STAMP_LENGTH || Buffer.byteLength(head) !== head.length) return false;
    this.#headBytes = this.#head.write(head);
    this.#tailBytes = this.#tail.write(tail);
    this.#idAt = opening.length;
    this.#stampAt = before.length + SECONDS;
    this.#name = name;
    this.#hasDigest = hasDigest;
    this.#minuteMs = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
    this.#format = format;
    return true;
  }
}
