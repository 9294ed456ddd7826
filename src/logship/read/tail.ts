import { readBytesFor } from './bytes.ts';
import type { Content, Contents } from './contents.ts';
import { HeldFile, type Standing } from './held-file.ts';
import { LineReader, type LineReaderOptions, type TakeLine } from './line-reader.ts';
import type { List } from './listing.ts';
import type { OpenLog } from './open-log.ts';

export interface TailOptions extends LineReaderOptions {
  readonly contents: Contents;
  /** Shared by all tails, from `tailBuffer`. */
  readonly buffer: Buffer;
  readonly open: OpenLog;
  /** Something was truncated away. Returns whether there is something older to be read first. */
  readonly displaced: (tail: Tail, displaced: Displaced) => boolean;
}

/** An open file, which its tail closes. */
interface Followed {
  /** Where it was written, without a rotation's suffix. */
  readonly path: string;
  readonly file: HeldFile;
  /** It is no longer at that path. */
  readonly isRotated: boolean;
}

/** What was truncated away, as far as we had come with it. */
export interface Displaced {
  /** Undefined when nothing whole had been written. */
  readonly content: Content | undefined;
  readonly position: number;
  readonly skipping: boolean;
  /** The bytes before the position. */
  readonly lead: Buffer;
  /** The largest size that was seen. */
  readonly size: number;
  /** What was written to the file later than that is of other contents. */
  readonly modifiedMs: number;
}

const NEWLINE = 10;

/** A buffer for all tails: room for a chunk, and for the longest line and one byte more. */
export function tailBuffer(maxLineBytes: number): Buffer {
  return HeldFile.bufferFor(readBytesFor(maxLineBytes) + 1);
}

/** Follows one open file: which content it holds, how far that was read, and whether it was truncated away. */
export class Tail implements Disposable {
  /** Where it was written, without a rotation's suffix. */
  readonly path: string;
  readonly #file: HeldFile;
  readonly #options: TailOptions;
  readonly #reader: LineReader;
  /** Bytes that were read. */
  bytes = 0;
  /** What it begins with may be a content that was seen before it was rotated away. */
  isRotated: boolean;
  #content: Content | undefined;
  #modifiedMs = -1;
  #size = 0;
  #hasMore = true;
  #isClosed = false;

  /** Throws the system's error. */
  constructor({ path, file, isRotated }: Followed, options: TailOptions) {
    this.path = path;
    this.#options = options;
    this.#file = file;
    this.#reader = new LineReader(path, file, options);
    this.isRotated = isRotated;
    // What it holds now may be truncated away before its turn comes: older contents are read first.
    this.#modifiedMs = this.#file.stat().mtimeMs;
  }

  get file(): HeldFile {
    return this.#file;
  }

  get content(): Content | undefined {
    return this.#content;
  }

  /** The largest size that was seen of its content. */
  get size(): number {
    return this.#size;
  }

  get modifiedMs(): number {
    return this.#modifiedMs;
  }

  /** Lines that were read. */
  get lines(): number {
    return this.#reader.lines;
  }

  /** Bytes that are not read. */
  get unread(): number {
    return Math.max(0, this.#file.stat().size - this.#file.position);
  }

  /** Bytes that are not acknowledged. */
  get left(): number {
    const { size } = this.#file.stat();
    const progress = this.#content?.progress;
    const from = progress?.isOpen ? progress.acknowledged.offset : this.#file.position;
    return Math.max(0, size - from);
  }

  /** Whether there is something to read, when the file stands so. */
  isBehind({ size, mtimeMs }: Standing): boolean {
    return this.#hasMore || size !== this.#size || mtimeMs !== this.#modifiedMs;
  }

  /** Goes on with a content at a place of it, whatever the file begins with. */
  goOn(content: Content, { position, skipping }: { readonly position: number; readonly skipping: boolean }): void {
    this.#content = content;
    this.#reader.skipping = skipping;
    this.#file.seek(position);
  }

  /** Leaves out what is there: only what is written from now on is taken. */
  skipToEnd(): void {
    const { size } = this.#file.stat();
    if (size > 0) this.#content = this.#identify(size, true, size);
  }

  /**
   * Takes the lines of at most one chunk.
   * @param final also what follows the last newline, because nothing more will be read
   * @returns whether there is more to read now. Throws the system's error.
   */
  read(take: TakeLine, final: boolean): boolean {
    const standing = this.#file.stat();
    if (!final && !this.isBehind(standing)) return false;
    this.#hasMore = this.#readAt(standing, take, final);
    this.#modifiedMs = standing.mtimeMs;
    this.#size = standing.size;
    if (this.#content !== undefined) this.#content.modifiedMs = standing.mtimeMs;
    return this.#hasMore;
  }

  /** Looks without reading whether something was truncated away. Throws the system's error. */
  check(): void {
    const { size, mtimeMs } = this.#file.stat();
    const content = this.#content;
    if (content !== undefined) {
      if (size < this.#file.position || !this.#file.holds(content.generation)) this.#truncated(content);
    } else if (this.#modifiedMs !== -1 && mtimeMs !== this.#modifiedMs) this.#displace();
    if (this.#content === undefined && this.#modifiedMs !== -1) this.#modifiedMs = mtimeMs;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Closes it. What is not acknowledged yet is remembered. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    if (this.#content !== undefined) this.#options.contents.retire(this.#content);
    this.#file[Symbol.dispose]();
  }

  #readAt({ size, mtimeMs }: Standing, take: TakeLine, final: boolean): boolean {
    if (this.#content === undefined) {
      // Whole contents may have come and gone while there was nothing in it whenever we looked.
      if (this.#modifiedMs !== -1 && mtimeMs !== this.#modifiedMs && this.#displace()) return true;
      this.#content = this.#identify(size, final);
    }
    if (this.#content === undefined) return false;
    const from = this.#file.position;
    if (size < from) return this.#truncated(this.#content);
    const hasMore = this.#reader.read(this.#content, take, final);
    if (hasMore === undefined) return this.#truncated(this.#content);
    this.bytes += Math.max(0, this.#file.position - from);
    return hasMore;
  }

  /** Takes the file for what it begins with, if enough of that is there. */
  #identify(size: number, final: boolean, from = 0): Content | undefined {
    const { dev, ino } = this.#file;
    const skipping = from > 0 && !this.#file.has(Buffer.of(NEWLINE), from - 1);
    const { path, isRotated } = this;
    const found = { path, dev, ino, isRotated, size, final, beginning: this.#file.beginning() };
    const content = this.#options.contents.identify({ ...found, from: { offset: from, skipping } });
    if (content === undefined) return undefined;
    const mark = content.progress.acknowledged;
    this.goOn(content, { position: mark.offset, skipping: mark.skipping });
    return content;
  }

  #truncated(content: Content): true {
    this.#displace(content);
    this.#content = undefined;
    this.#reader.skipping = false;
    this.#size = 0;
    this.#file.seek(0);
    return true;
  }

  /** @returns whether there is something older to be read first */
  #displace(content?: Content): boolean {
    return this.#options.displaced(this, {
      content,
      position: this.#file.position,
      skipping: this.#reader.skipping,
      lead: this.#file.lead,
      size: this.#size,
      modifiedMs: this.#modifiedMs,
    });
  }
}

export interface FollowOptions extends Omit<TailOptions, 'buffer' | 'displaced' | 'open'> {
  /** Absolute globs. */
  readonly patterns: readonly string[];
  /** Globs: absolute, or without a slash, of names. */
  readonly excludes?: readonly string[];
  /** Of the logs. */
  readonly root?: string;
  /** Whether a place is our own state's, whatever leads there. */
  readonly isOwn?: (place: string) => boolean;
  /** Our own, which is never shipped. */
  readonly stateDir?: string;
  /** On first start: what is done with what is there. Undefined later. */
  readonly firstStart?: 'beginning' | 'end' | undefined;
  /** Rotated files that are older were there before us, in milliseconds since the epoch; the start, unless given. */
  readonly sinceMs?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly uptime?: () => number;
  /** How directories are read; with the file system's calls, unless given. */
  readonly list?: List | undefined;
}
