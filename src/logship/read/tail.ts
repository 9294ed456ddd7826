import type { SharedMemory } from '../bytes/memory.ts';
import { readBytesFor } from './bytes.ts';
import type { Content, Contents } from './contents.ts';
import { HeldFile, type Standing } from './held-file.ts';
import { LineReader, type LineReaderOptions, type TakeLine } from './line-reader.ts';
import type { List } from './listing.ts';
import type { OpenLog } from './open-log.ts';

export interface TailOptions extends LineReaderOptions {
  readonly contents: Contents;
  /** Buffer that all tails share, from `tailBuffer`. */
  readonly buffer: Buffer;
  readonly open: OpenLog;
  /** Called when content was truncated. Returns whether older content must be read first. */
  readonly displaced: (tail: Tail, displaced: Displaced) => boolean;
}

/** An open file, which its tail closes. */
interface Followed {
  /** The path while the file was being written, without a rotation suffix. */
  readonly path: string;
  readonly file: HeldFile;
  /** Set if the file is no longer at that path. */
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
  /** The largest size that was seen. */
  readonly size: number;
  /** Writes to the file after this time belong to other generations. */
  readonly modifiedMs: number;
}

const NEWLINE = 10;

/** Allocates the buffer for all tails, with room for a chunk and for the longest line plus one byte. */
export function tailBuffer(maxLineBytes: number, memory?: SharedMemory): Buffer {
  return HeldFile.bufferFor(readBytesFor(maxLineBytes) + 1, memory);
}

/** Follows one open file: its generation, our position, and whether it was truncated. */
export class Tail implements Disposable {
  /** The path while the file was being written, without a rotation suffix. */
  readonly path: string;
  readonly #file: HeldFile;
  readonly #options: TailOptions;
  readonly #reader: LineReader;
  /** Number of bytes read. */
  bytes = 0;
  /** Set if the file may contain a generation that was known before its rotation. */
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
    // Recorded at once: if the content is truncated before it is read, the generations in between are those written
    // after this time.
    this.#modifiedMs = this.#file.stat().mtimeMs;
  }

  get file(): HeldFile {
    return this.#file;
  }

  get content(): Content | undefined {
    return this.#content;
  }

  /** The largest size of the current generation that was seen. */
  get size(): number {
    return this.#size;
  }

  get modifiedMs(): number {
    return this.#modifiedMs;
  }

  /** Number of lines read. */
  get lines(): number {
    return this.#reader.lines;
  }

  /** Number of bytes not read. */
  get unread(): number {
    return Math.max(0, this.#file.stat().size - this.#file.position);
  }

  /** Number of bytes not acknowledged. */
  get left(): number {
    const { size } = this.#file.stat();
    const progress = this.#content?.progress;
    const from = progress?.isOpen ? progress.acknowledged.offset : this.#file.position;
    return Math.max(0, size - from);
  }

  /** Whether there is more to read if the file is in this state. */
  isBehind({ size, mtimeMs }: Standing): boolean {
    return this.#hasMore || size !== this.#size || mtimeMs !== this.#modifiedMs;
  }

  /** Continues a generation at a position, whatever the start of the file. */
  goOn(content: Content, { position, skipping }: { readonly position: number; readonly skipping: boolean }): void {
    this.#content = content;
    this.#options.contents.recognize(content, (other) => this.#file.agreesWith(other));
    this.#reader.skipping = skipping;
    this.#file.seek(position);
  }

  /** Skips existing content, so that only later writes are read. */
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

  /** Closes the file. Unacknowledged content is remembered. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    if (this.#content !== undefined) {
      const { position, lead } = this.#file;
      this.#options.contents.recognize(this.#content, (other) => other.hasBefore(position, lead));
      this.#options.contents.retire(this.#content);
    }
    this.#file[Symbol.dispose]();
  }

  #readAt({ size, mtimeMs }: Standing, take: TakeLine, final: boolean): boolean {
    if (this.#content === undefined) {
      // Whole generations may have been written and rotated between polls that found the file empty.
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

  /** Identifies the generation from the start of the file, if that is long enough. */
  #identify(size: number, final: boolean, from = 0): Content | undefined {
    const { dev, ino } = this.#file;
    const skipping = from > 0 && !this.#file.has(Buffer.of(NEWLINE), from - 1);
    const { path, isRotated } = this;
    const found = { path, dev, ino, isRotated, size, final, file: this.#file, beginning: this.#file.beginning() };
    const content = this.#options.contents.identify({ ...found, from: { offset: from, skipping } });
    if (content === undefined) return undefined;
    const mark = content.progress.acknowledged;
    this.goOn(content, { position: mark.offset, skipping: mark.skipping });
    return content;
  }

  #truncated(content: Content): true {
    const { position, lead } = this.#file;
    this.#options.contents.recognize(
      content,
      (other) => other.stat().size < position || other.hasBefore(position, lead),
    );
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
  /** Globs, as absolute paths. */
  readonly patterns: readonly string[];
  /** Globs as absolute paths; globs without a slash match names. */
  readonly excludes?: readonly string[];
  /** The log root directory. */
  readonly root?: string;
  /** Whether a path is inside our own state directory, through any link. */
  readonly isOwn?: (place: string) => boolean;
  /** Our own state directory, which is never shipped. */
  readonly stateDir?: string;
  /** What happens with existing files on first start. Undefined on later starts. */
  readonly firstStart?: 'beginning' | 'end' | undefined;
  /**
   * Unknown rotated files that were last written before this time are not read. In milliseconds since the epoch; the
   * default is the start of this process.
   */
  readonly sinceMs?: number | undefined;
  /** A monotonic clock in milliseconds. */
  readonly uptime?: () => number;
  /** Reads directories; by default with the file system's calls. */
  readonly list?: List | undefined;
  /** The memory into which lines are read. */
  readonly memory?: SharedMemory | undefined;
}
