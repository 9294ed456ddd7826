import type { Content, Rested } from './content.ts';
import { STAKE } from './handles.ts';
import type { HeldFile, Standing } from './held-file.ts';
import { LineReader } from './line-reader.ts';
import type { TailOptions } from './tail-options.ts';
import type { TakeLine } from './take-line.ts';
import { reopen } from './reopen.ts';
import { reportResumption, reportVanished, shortened } from './vanished.ts';

/** An open file, which its tail closes. */
interface Followed {
  /** The path while the file was being written, without a rotation suffix. */
  readonly path: string;
  readonly file: HeldFile;
  /** Set if the file is no longer at that path. */
  readonly isRotated: boolean;
}

const NEWLINE = 10;

/** Follows one open file: its generation, our position, and whether it was truncated. */
export class Tail implements Disposable {
  /** The path while the file was being written, without a rotation suffix. */
  readonly path: string;
  readonly #file: HeldFile;
  readonly #options: TailOptions<Tail>;
  #reader: LineReader | undefined;
  /** Number of lines that former readers have read. */
  #lines = 0;
  /** Number of bytes read. */
  bytes = 0;
  /** Set if the file may contain a generation that was known before its rotation. */
  isRotated: boolean;
  /** Set while another file, or none, is at the path. */
  hasLeft: boolean;
  /** Set while it is closed, and under no name that we know. */
  isMissing = false;
  #content: Content | undefined;
  /** What is left of the content while the file rests. */
  #rested: Rested | undefined;
  #modifiedMs = -1;
  #size = 0;
  /** The file's size when it was looked at last, whether or not it was read: what reports progress asks for it all the time. */
  #seenSize = 0;
  /** Why the file could not be read in the last attempt. */
  failure: string | undefined;
  #hasMore = true;
  #isClosed = false;

  /** Throws the system's error. */
  constructor({ path, file, isRotated }: Followed, options: TailOptions<Tail>) {
    this.path = path;
    this.#options = options;
    this.#file = file;
    this.isRotated = this.hasLeft = isRotated;
    // Recorded at once: if the content is truncated before it is read, the generations in between are those written
    // after this time.
    this.#modifiedMs = this.#stat().mtimeMs;
    file.share(this, options);
  }

  /** See Holder. */
  openAgain(at: string): HeldFile | undefined {
    return reopen(this.#file, at, this.path, this.#options);
  }

  get stake(): number {
    const isRead = this.#seenSize <= this.#file.position;
    if (!this.hasLeft) return isRead ? STAKE.nothing : STAKE.unreadLines;
    if (!this.#file.hasName) return STAKE.all;
    return isRead ? STAKE.laterLines : STAKE.unreadRotatedLines;
  }

  /** Made when it is needed: a file that rests has none. */
  get #lineReader(): LineReader {
    return (this.#reader ??= new LineReader(this.path, this.#file, this.#options));
  }

  get file(): HeldFile {
    return this.#file;
  }

  get content(): Content | undefined {
    if (this.#rested !== undefined) {
      this.#content = this.#options.contents.wake(this.#rested);
      this.#rested = undefined;
      this.#file.wake(this.#content.trail);
    }
    return this.#content;
  }

  /** Whether nothing of the content is kept but what a restart needs. */
  get isResting(): boolean {
    return this.#rested !== undefined;
  }

  /** Gives up what is needed only while the file is read, if that is its end and all is acknowledged. */
  rest(): void {
    const content = this.#content;
    if (content === undefined || this.#hasMore || this.hasLeft || this.isMissing) return;
    if (this.#reader?.isBetweenLines === false || this.failure !== undefined) return;
    const rested = this.#options.contents.rest(content, this.#file.position);
    if (rested === undefined) return;
    this.#rested = rested;
    this.#content = undefined;
    this.#lines = this.lines;
    this.#reader = undefined;
    this.#file.rest();
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
    return this.#lines + (this.#reader?.lines ?? 0);
  }

  /** Number of bytes not read. */
  get unread(): number {
    return Math.max(0, this.#seenSize - this.#file.position);
  }

  /** Number of bytes not acknowledged. */
  get left(): number {
    const progress = this.#content?.progress;
    const from = progress?.isOpen ? progress.acknowledged.offset : this.#file.position;
    return Math.max(0, this.#seenSize - from);
  }

  #stat(): Standing {
    const standing = this.#file.stat();
    this.#seenSize = standing.size;
    return standing;
  }

  /** Whether there is more to read if the file is in this state. */
  isBehind({ size, mtimeMs }: Standing): boolean {
    this.#seenSize = size;
    return this.#hasMore || size !== this.#size || mtimeMs !== this.#modifiedMs;
  }

  /** Continues a generation at a position, whatever the start of the file. */
  goOn(content: Content, { position, skipping }: { readonly position: number; readonly skipping: boolean }): void {
    this.#content = content;
    content.reader = this;
    this.#lineReader.skipping = skipping;
    this.#file.seek(position, content.trail);
  }

  /** Whether the file has all that was read of our content. */
  hasRead(file: HeldFile): boolean {
    const { content } = this;
    if (content === undefined) return this.#file.isSame(file);
    const { position, lead } = this.#file;
    return content.generation.matches(file.beginning()) && file.hasBefore(position, lead);
  }

  /** See Recognizer. A file that can no longer be read tells nothing about others, whose reading must not fail because of it. */
  isIn(other: HeldFile): boolean {
    try {
      return this.#file.agreesWith(other);
    } catch (error) {
      if (this.#file.isReadable) throw error;
      return false;
    }
  }

  /** Skips existing content, so that only later writes are read. */
  skipToEnd(): void {
    const { size } = this.#stat();
    if (size > 0) this.#content = this.#identify(size, true, size);
  }

  /**
   * Takes the lines of at most one chunk.
   * @param final also take the unterminated rest, because no more will be read
   * @returns whether there is more to read now
   * @throws the system's error
   */
  read(take: TakeLine, final: boolean): boolean {
    const standing = this.#stat();
    if (!final && !this.isBehind(standing)) return false;
    this.#hasMore = this.#readAt(this.content, standing, take, final);
    if (!this.#hasMore) this.#content?.undated.caughtUp();
    this.#modifiedMs = standing.mtimeMs;
    this.#size = standing.size;
    if (this.#content) Object.assign(this.#content, { modifiedMs: standing.mtimeMs, size: standing.size });
    return this.#hasMore;
  }

  /**
   * Checks for truncation without reading. A closed file is opened only if it is shorter than it was: this is repeated
   * for all files while none can be read.
   * @throws the system's error
   */
  check(): void {
    if (!this.#file.isOpen && (this.#file.glance()?.size ?? this.#seenSize) >= this.#file.position) return;
    const { size, mtimeMs } = this.#stat();
    const { content } = this;
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
    const { content } = this;
    if (content !== undefined) {
      const { position, lead } = this.#file;
      this.#options.contents.recognize(content, { position, lead });
      this.#options.contents.retire(content);
    }
    this.#file[Symbol.dispose]();
  }

  #readAt(content: Content | undefined, { size, mtimeMs }: Standing, take: TakeLine, final: boolean): boolean {
    if (content === undefined) {
      // Whole generations may have been written and rotated between polls that found the file empty.
      if (this.#modifiedMs !== -1 && mtimeMs !== this.#modifiedMs && this.#displace()) return true;
      this.#content = this.#identify(size, final);
    }
    if (this.#content === undefined) return false;
    const from = this.#file.position;
    if (size < from) return this.#truncated(this.#content);
    const sizeBefore = this.#size;
    const hasMore = this.#lineReader.read(this.#content, take, final);
    if (hasMore === undefined) return this.#truncated(this.#content);
    if (size < sizeBefore) reportVanished(shortened(this.path, size), sizeBefore - size, this.#options);
    this.bytes += Math.max(0, this.#file.position - from);
    return hasMore;
  }

  /** Identifies the generation from the start of the file, if that is long enough. */
  #identify(size: number, final: boolean, from = 0): Content | undefined {
    const { dev, ino } = this.#file;
    const skipping = from > 0 && !this.#file.has(Buffer.of(NEWLINE), from - 1);
    const { path, isRotated } = this;
    const { contents } = this.#options;
    const resumption = contents.resumptionOf(path, this.#file);
    const found = { path, dev, ino, isRotated, final, file: this.#file, beginning: this.#file.beginning() };
    if (resumption !== undefined) reportResumption(resumption, size, this.#options);
    const content =
      resumption === undefined
        ? contents.begin({ ...found, from: { offset: from, skipping } })
        : contents.resume(resumption, this.#file);
    if (content === undefined) return undefined;
    const mark = content.progress.acknowledged;
    this.goOn(content, { position: mark.offset, skipping: mark.skipping });
    return content;
  }

  #truncated(content: Content): true {
    const { position, lead } = this.#file;
    const { skipping } = this.#lineReader;
    this.#options.contents.recognize(content, { position, lead, mayBeShorter: true });
    const displaced = { content, position, skipping, lead, size: this.#size, modifiedMs: this.#modifiedMs };
    this.#content = undefined;
    this.#lineReader.skipping = false;
    this.#size = 0;
    this.#file.seek(0);
    this.#options.displaced(this, displaced);
    return true;
  }

  /**
   * Called when the file has a modification without content.
   * @returns whether older content must be read first
   */
  #displace(): boolean {
    const { position, lead } = this.#file;
    const { skipping } = this.#lineReader;
    const nothing = { content: undefined, position, skipping, lead, size: this.#size };
    return this.#options.displaced(this, { ...nothing, modifiedMs: this.#modifiedMs });
  }
}
