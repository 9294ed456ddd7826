import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Log } from '../cli/log.ts';
import type { Content, Contents } from './contents.ts';
import type { Counts } from './counts.ts';
import { characterBoundary, frame } from './frame.ts';
import { HEAD_BYTES, hasHead, type Generation } from './generation.ts';

/**
 * Gets one line as bytes of a shared buffer, which the next read overwrites.
 * @param offset where the line begins in its generation
 * @param next where the next one begins
 * @param skipping whether the rest of this line, which was too long, comes there first
 */
export type TakeLine = (content: Content, line: Buffer, offset: number, next: number, skipping: boolean) => void;

export interface TailOptions {
  readonly contents: Contents;
  readonly counts: Counts;
  readonly log: Log;
  /** Longer lines are cut there. */
  readonly maxLineBytes: number;
  /** Shared by all tails; room for a chunk, and for the longest line, and one byte more. */
  readonly buffer: Buffer;
}

export const CHUNK_BYTES = 256 * 1024;

/**
 * Reads one open file. The descriptor is held, so a rename or removal takes nothing away and the inode can't be given to
 * another file. Between reads nothing is kept but the position: an unfinished line is read again from its start.
 */
export class Tail implements Disposable {
  /** Where it was written, without a rotation's suffix. */
  readonly path: string;
  readonly ino: number;
  readonly #fd: number;
  readonly #dev: number;
  readonly #options: TailOptions;
  #content: Content | undefined;
  #previous: Generation | undefined;
  #position = 0;
  #skipping = false;
  /** The byte before the position, which is still there unless the file was truncated and written anew. */
  #before = -1;
  #modifiedMs = -1;
  #seen = 0;
  #hasMore = false;
  readonly #scratch = Buffer.allocUnsafe(HEAD_BYTES);

  /** @param at where it is now; throws the system's error */
  constructor(path: string, at: string, options: TailOptions) {
    this.path = path;
    this.#options = options;
    this.#fd = openSync(at, 'r');
    const { dev, ino } = fstatSync(this.#fd);
    this.#dev = dev;
    this.ino = ino;
  }

  /** Bytes that are not acknowledged. */
  get left(): number {
    const { size } = fstatSync(this.#fd);
    const progress = this.#content?.progress;
    const from = progress?.isOpen ? progress.acknowledged.offset : this.#position;
    return Math.max(0, size - from);
  }

  /** When it last changed, in milliseconds since the epoch. */
  get modifiedMs(): number {
    return fstatSync(this.#fd).mtimeMs;
  }

  /** Whether it begins as that generation does. */
  isGeneration({ head }: Generation): boolean {
    return hasHead(this.#beginning(), head);
  }

  /**
   * Takes the lines of at most one chunk.
   * @param final also what follows the last newline, because nothing more will be read
   * @returns whether there is more to read now
   */
  read(take: TakeLine, final: boolean): boolean {
    const { size, mtimeMs } = fstatSync(this.#fd);
    if (!this.#hasMore && !final && size === this.#seen && mtimeMs === this.#modifiedMs) return false;
    this.#modifiedMs = mtimeMs;
    if (this.#content === undefined && !this.#identify(size, final)) return false;
    this.#hasMore = this.#readChunk(size, take, final);
    this.#seen = size;
    return this.#hasMore;
  }

  #readChunk(size: number, take: TakeLine, final: boolean): boolean {
    const chunk = this.#chunk(CHUNK_BYTES);
    if (chunk === undefined || size < this.#position) return this.#truncated(size);
    if (this.#skipping) return this.#skip(chunk);
    const consumed = this.#takeLines(chunk, take);
    if (consumed > 0) {
      this.#advance(chunk, consumed);
      return chunk.length === CHUNK_BYTES || (final && consumed < chunk.length);
    }
    if (chunk.length === 0) return false;
    return chunk.length === CHUNK_BYTES ? this.#takeLong(take) : final && this.#takeRest(chunk, take);
  }

  /** Closes it. What is not acknowledged yet is remembered. */
  [Symbol.dispose](): void {
    if (this.#content !== undefined) this.#options.contents.retire(this.#content);
    closeSync(this.#fd);
  }

  #identify(size: number, final: boolean): boolean {
    const found = { path: this.path, dev: this.#dev, ino: this.ino, size, previous: this.#previous, final };
    const content = this.#options.contents.identify({ ...found, beginning: this.#beginning() });
    if (content === undefined) return false;
    const { offset, skipping } = content.progress.acknowledged;
    this.#content = content;
    this.#position = offset;
    this.#skipping = skipping;
    this.#before = -1;
    if (offset > 0 && readSync(this.#fd, this.#scratch, 0, 1, offset - 1) === 1) this.#before = this.#scratch[0] ?? -1;
    return true;
  }

  #beginning(): Buffer {
    return this.#scratch.subarray(0, readSync(this.#fd, this.#scratch, 0, HEAD_BYTES, 0));
  }

  /**
   * The bytes from the position on. Undefined when they belong to another content: the head is looked at after the
   * read, so what was read before a truncation is never taken for what was written after it.
   */
  #chunk(bytes: number): Buffer | undefined {
    const lead = this.#position === 0 ? 0 : 1;
    const { buffer } = this.#options;
    const read = readSync(this.#fd, buffer, 0, bytes + lead, this.#position - lead);
    const isSame = lead === 0 || (read > 0 && buffer[0] === this.#before);
    if (!isSame || !hasHead(this.#beginning(), this.#content!.generation.head)) return undefined;
    return buffer.subarray(lead, read);
  }

  #takeLines(chunk: Buffer, take: TakeLine): number {
    const { maxLineBytes, counts } = this.#options;
    const position = this.#position;
    return frame(chunk, (start, end) => {
      const isLong = end - start > maxLineBytes;
      if (isLong) counts.cut++;
      const cut = isLong ? characterBoundary(chunk, start + maxLineBytes) : end;
      take(this.#content!, chunk.subarray(start, cut), position + start, position + end + 1, false);
    });
  }

  /** A line that is longer than a chunk: whole up to the cap, cut there if it goes on. */
  #takeLong(take: TakeLine): boolean {
    const { maxLineBytes, counts } = this.#options;
    const wanted = Math.max(maxLineBytes, CHUNK_BYTES) + 1;
    const chunk = this.#chunk(wanted);
    if (chunk === undefined) return true;
    const consumed = this.#takeLines(chunk, take);
    if (consumed > 0) return this.#advance(chunk, consumed);
    if (chunk.length < wanted) return false;
    const cut = characterBoundary(chunk, maxLineBytes);
    counts.cut++;
    this.#skipping = true;
    take(this.#content!, chunk.subarray(0, cut), this.#position, this.#position + cut, true);
    return this.#advance(chunk, cut);
  }

  #takeRest(chunk: Buffer, take: TakeLine): false {
    take(this.#content!, chunk, this.#position, this.#position + chunk.length, false);
    this.#advance(chunk, chunk.length);
    return false;
  }

  #skip(chunk: Buffer): boolean {
    const newline = chunk.indexOf(10);
    this.#skipping = newline === -1;
    if (chunk.length === 0) return false;
    return this.#advance(chunk, newline === -1 ? chunk.length : newline + 1);
  }

  #advance(chunk: Buffer, bytes: number): true {
    this.#position += bytes;
    this.#before = chunk[bytes - 1] ?? -1;
    return true;
  }

  #truncated(size: number): boolean {
    const { log, contents, counts } = this.#options;
    const content = this.#content!;
    const lost = Math.max(0, this.#seen - this.#position);
    counts.lostBytes += lost;
    log.info(`${this.path} was truncated: reading it from its beginning`, { size, lost });
    contents.retire(content);
    this.#previous = content.generation;
    this.#content = undefined;
    this.#position = 0;
    this.#skipping = false;
    return true;
  }
}
