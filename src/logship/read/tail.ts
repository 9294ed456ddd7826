import type { SharedMemory } from '../bytes/memory.ts';
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
  /** Content was truncated. Returns whether older content must be read first. */
  readonly displaced: (tail: Tail, displaced: Displaced) => boolean;
}

/** An open file, closed by its tail. */
interface Followed {
  /** Its path when written, without a rotation suffix. */
  readonly path: string;
  readonly file: HeldFile;
  /** It is no longer at that path. */
  readonly isRotated: boolean;
}

/** Truncated content, with our position in it. */
export interface Displaced {
  /** Undefined if no complete line was written. */
  readonly content: Content | undefined;
  readonly position: number;
  readonly skipping: boolean;
  /** The bytes before the position. */
  readonly lead: Buffer;
  /** The largest size seen. */
  readonly size: number;
  /** Later writes to the file belong to other generations. */
  readonly modifiedMs: number;
}

const NEWLINE = 10;

/** A buffer for all tails: room for a chunk, and for the longest line plus one byte. */
export function tailBuffer(maxLineBytes: number, memory?: SharedMemory): Buffer {
  return HeldFile.bufferFor(readBytesFor(maxLineBytes) + 1, memory);
}

/** Follows one open file: its generation, our position, and whether it was truncated. */
export class Tail implements Disposable {
  /** Its path when written, without a rotation suffix. */
  readonly path: string;
  readonly #file: HeldFile;
  readonly #options: TailOptions;
  readonly #reader: LineReader;
  /** Bytes read. */
  bytes = 0;
  /** It may hold a generation known from before its rotation. */
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
    // Its current content may be truncated before it is read: older generations are read first.
    this.#modifiedMs = this.#file.stat().mtimeMs;
  }

  get file(): HeldFile {
    return this.#file;
  }

  get content(): Content | undefined {
    return this.#content;
  }

  /** The largest size seen of its generation. */
  get size(): number {
    return this.#size;
  }

  get modifiedMs(): number {
    return this.#modifiedMs;
  }

  /** Lines read. */
  get lines(): number {
    return this.#reader.lines;
  }

  /** Bytes not read. */
  get unread(): number {
    return Math.max(0, this.#file.stat().size - this.#file.position);
  }

  /** Bytes not acknowledged. */
  get left(): number {
    const { size } = this.#file.stat();
    const progress = this.#content?.progress;
    const from = progress?.isOpen ? progress.acknowledged.offset : this.#file.position;
    return Math.max(0, size - from);
  }

  /** Whether there is something to read in this state. */
  isBehind({ size, mtimeMs }: Standing): boolean {
    return this.#hasMore || size !== this.#size || mtimeMs !== this.#modifiedMs;
  }

  /** Continues a generation at a position, regardless of the file's start. */
  goOn(content: Content, { position, skipping }: { readonly position: number; readonly skipping: boolean }): void {
    this.#content = content;
    this.#reader.skipping = skipping;
    this.#file.seek(position);
  }

  /** Skips existing content: only later writes are read. */
  skipToEnd(): void {
    const { size } = this.#file.stat();
    if (size > 0) this.#content = this.#identify(size, true, size);
  }

  /**
   * Takes the lines of at most one chunk.
   * @param final also take the unterminated rest, because no more will be read
   * @returns whether there is more to read now
   * @throws the system's error
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

  /** Checks for truncation without reading. Throws the system's error. */
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

  /** Closes it. Unacknowledged content is remembered. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    if (this.#content !== undefined) this.#options.contents.retire(this.#content);
    this.#file[Symbol.dispose]();
  }

  #readAt({ size, mtimeMs }: Standing, take: TakeLine, final: boolean): boolean {
    if (this.#content === undefined) {
      // Whole generations may have come and gone between polls that found the file empty.
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

  /** Identifies the generation by the file's start, if there is enough of it. */
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

  /**
   * @returns whether older content must be read first
   */
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
  /** Globs: absolute, or matched against names if they have no slash. */
  readonly excludes?: readonly string[];
  /** The log root. */
  readonly root?: string;
  /** Whether a path is inside our own state directory, through any link. */
  readonly isOwn?: (place: string) => boolean;
  /** Our own state directory, never shipped. */
  readonly stateDir?: string;
  /** On first start: what to do with existing files. Undefined later. */
  readonly firstStart?: 'beginning' | 'end' | undefined;
  /** Older rotated files existed before us; milliseconds since the epoch; default the start. */
  readonly sinceMs?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly uptime?: () => number;
  /** Reads directories; default the file system's calls. */
  readonly list?: List | undefined;
  /** Where lines are read to. */
  readonly memory?: SharedMemory | undefined;
}
