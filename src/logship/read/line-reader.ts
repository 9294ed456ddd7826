import type { Log } from '../../core/log.ts';
import type { Counts } from '../report/counts.ts';
import type { Hole, Holes } from '../state/holes.ts';
import {
  BLOCK_BYTES,
  characterBoundary,
  CHUNK_BYTES,
  holeIn,
  NEVER_GIVEN_BACK_BYTES,
  readBytesFor,
  skipNuls,
} from './bytes.ts';
import type { Content } from './content.ts';
import type { Contents } from './contents.ts';
import { HEAD_BYTES } from '../position/generation.ts';
import type { HeldFile } from './held-file.ts';
import type { TakeLine } from './take-line.ts';

export interface LineReaderOptions {
  readonly contents: Pick<Contents, 'cutLine'>;
  readonly counts: Counts;
  readonly log: Log;
  /** Maximum length; longer lines are truncated. */
  readonly maxLineBytes: number;
  /** The holes that were punched; by default none. */
  readonly holes?: Pick<Holes, 'of' | 'isComplete'> | undefined;
}

const NEWLINE = 10;
const NUL = 0;
/** The first block of a hole whose record is lost. */
const FIRST_BLOCK = { start: NEVER_GIVEN_BACK_BYTES, end: NEVER_GIVEN_BACK_BYTES + BLOCK_BYTES };
/** Less is never punched at once. */
const LEAST_HOLE_BYTES = 512 * 1024;

/**
 * Splits an open file's bytes into lines. Between reads only the position is kept: an unfinished line is read again
 * from its start. Loggers do not write NULs: a crash leaves them where data had not reached the disk, and so does a
 * writer without O_APPEND whose file was truncated. They end a line, unless they are in a hole that `--reclaim` has
 * punched, whose lines were acknowledged before.
 */
export class LineReader {
  readonly #path: string;
  readonly #file: HeldFile;
  readonly #options: LineReaderOptions;
  /** Number of lines that were taken. */
  lines = 0;
  /** Set while the rest of an overlong line is skipped. */
  skipping = false;
  /** The hole that is being skipped. */
  #hole: Hole | undefined;
  #hasNuls = false;

  /** Whether another reader would go on at this position as this one. */
  get isBetweenLines(): boolean {
    return !this.skipping && this.#hole === undefined && !this.#hasNuls;
  }

  constructor(path: string, file: HeldFile, options: LineReaderOptions) {
    this.#path = path;
    this.#file = file;
    this.#options = options;
  }

  /**
   * Takes the lines of at most one chunk.
   * @param final also take the unterminated rest, because no more will be read
   * @returns whether there may be more to read now; undefined if the content has changed
   */
  read(content: Content, take: TakeLine, final: boolean): boolean | undefined {
    const cut = nextCut(content, this.#file.position);
    const room = cut - this.#file.position;
    const chunk = this.#file.read(Math.min(CHUNK_BYTES, room), content.generation);
    if (chunk === undefined) return undefined;
    const isFull = chunk.length === CHUNK_BYTES || chunk.length === room;
    const nul = chunk.indexOf(NUL);
    const hole = this.#holeIn(content, chunk, nul);
    if (hole !== -1) return this.#leap(content, chunk, hole, take);
    if (this.skipping) return this.#skip(chunk);
    const isLast = chunk.length === room || (final && !isFull);
    const consumed = this.#takeLines(content, chunk, take, nul);
    if (consumed > 0) {
      this.#file.advance(chunk, consumed);
      return isFull || consumed < (isLast ? chunk.length : endOfLines(chunk, nul));
    }
    if (chunk.length === 0) return false;
    if (isLast) this.#takeRest(content, chunk, take);
    else if (isFull) return this.#takeLong(content, take, final);
    return isFull;
  }

  /** @returns the number of bytes in complete lines, as far as there is room for them: at least one line's */
  #takeLines(content: Content, chunk: Buffer, take: TakeLine, firstNul: number): number {
    const { maxLineBytes, counts } = this.#options;
    const position = this.#file.position;
    let nul = firstNul;
    // An unfinished line may end in the middle of a character.
    const lines = chunk.subarray(0, endOfLines(chunk, nul));
    let start = 0;
    let newline = lines.indexOf(NEWLINE);
    for (;;) {
      // Lines in the head of a generation have names of their own.
      if (newline !== -1 && (nul === -1 || newline < nul) && position + start >= HEAD_BYTES) {
        const whole = nul === -1 ? lines.length : lines.lastIndexOf(NEWLINE, nul) + 1;
        start = this.#takeMany(content, lines, start, whole, take);
      }
      if (start > 0 && take.hasRoom?.() === false) return start;
      // Not for each NUL: a chunk may have thousands of them, and no newline.
      if (newline !== -1 && newline < start) newline = lines.indexOf(NEWLINE, start);
      if (newline === -1 && nul === -1) return start;
      const isNul = nul !== -1 && (newline === -1 || nul < newline);
      const end = isNul ? nul : newline;
      if (!isNul || end > start) {
        const isLong = end - start > maxLineBytes;
        if (isLong) counts.cut++;
        const cut = isLong ? characterBoundary(chunk, start + maxLineBytes) : end;
        counts.skippedBytes += end - cut;
        const next = position + end + 1;
        if (position + start < HEAD_BYTES) content.generation.nameLine(position + start, next);
        take(content, lines, position + start, next, false, start, cut);
        this.lines++;
      }
      start = isNul ? this.#skipNuls(chunk, end) : end + 1;
      if (isNul) nul = chunk.indexOf(NUL, start);
    }
  }

  /** @returns the index of the first line that was not taken */
  #takeMany(content: Content, chunk: Buffer, start: number, end: number, { many }: TakeLine): number {
    if (many === undefined) return start;
    const { at, lines } = many(content, chunk, this.#file.position, start, end);
    this.lines += lines;
    return at;
  }

  /** @returns the index after the NULs */
  #skipNuls(chunk: Buffer, from: number): number {
    const { counts, log } = this.#options;
    const end = skipNuls(chunk, from);
    counts.nulBytes += end - from;
    if (!this.#hasNuls) {
      const at = this.#file.position + from;
      log.warn(`${this.#path} has NULs at byte ${at}, as after a power failure: they end a line, and are counted`);
    }
    this.#hasNuls = true;
    return end;
  }

  /** The index of a punched hole in the chunk, or -1. */
  #holeIn(content: Content, chunk: Buffer, nul: number): number {
    if (nul === -1) return -1;
    const { position } = this.#file;
    if (this.#hole !== undefined && chunk[0] === NUL && position < this.#hole.end) return 0;
    const { holes } = this.#options;
    this.#hole = holes?.of(content.generation);
    if (this.#hole !== undefined) return holeIn(chunk, position, this.#hole);
    const isGuessed = holes?.isComplete === false && this.#file.unallocated >= LEAST_HOLE_BYTES;
    const at = isGuessed ? holeIn(chunk, position, FIRST_BLOCK) : -1;
    if (at !== -1) this.#hole = { ...FIRST_BLOCK, end: Infinity };
    return at;
  }

  /**
   * Skips a hole, including the partial lines on both sides: these lines were acknowledged before the hole was punched.
   * @param hole its index in the chunk
   */
  #leap(content: Content, chunk: Buffer, hole: number, take: TakeLine): true {
    const { counts, log } = this.#options;
    const { position } = this.#file;
    const before = chunk.subarray(0, hole);
    const isSkipped = this.skipping && hole > 0 && this.#skip(before);
    const isRead = this.skipping || isSkipped;
    const consumed = isRead ? 0 : this.#takeLines(content, before, take, before.indexOf(NUL));
    if (consumed > 0) this.#file.advance(chunk, consumed);
    if (isSkipped || consumed > 0) return true;
    if (!this.skipping) log.info(`${this.#path}: the reclaimed part after byte ${position} is not read again`);
    const end = skipNuls(chunk, hole, Math.min(chunk.length, this.#hole!.end - position));
    counts.skippedBytes += end;
    this.skipping = true;
    if (end < chunk.length) this.#hole = undefined;
    this.#file.advance(chunk, end);
    return true;
  }

  /** Takes a line longer than a chunk, truncated if it exceeds the limit. */
  #takeLong(content: Content, take: TakeLine, final: boolean): boolean | undefined {
    const { maxLineBytes } = this.#options;
    const wanted = readBytesFor(maxLineBytes) + 1;
    const room = nextCut(content, this.#file.position) - this.#file.position;
    const chunk = this.#file.read(Math.min(wanted, room), content.generation);
    if (chunk === undefined) return undefined;
    const nul = chunk.indexOf(NUL);
    const hole = this.#holeIn(content, chunk, nul);
    if (hole !== -1) return this.#leap(content, chunk, hole, take);
    const consumed = this.#takeLines(content, chunk, take, nul);
    if (consumed > 0) this.#file.advance(chunk, consumed);
    else if (chunk.length === wanted) this.#takeCut(content, chunk, maxLineBytes, take);
    else if (chunk.length === room || final) this.#takeRest(content, chunk, take);
    else return false;
    return true;
  }

  /** Takes the unterminated end of a file that will not grow. */
  #takeRest(content: Content, chunk: Buffer, take: TakeLine): void {
    if (chunk.length > this.#options.maxLineBytes) {
      this.#takeCut(content, chunk, this.#options.maxLineBytes, take);
      return;
    }
    const { position } = this.#file;
    const next = position + chunk.length;
    if (nextCut(content, position) !== next) this.#options.contents.cutLine(content, position, next);
    this.#takePart(content, chunk, take, false);
  }

  /** Takes the start of an overlong line. */
  #takeCut(content: Content, chunk: Buffer, bytes: number, take: TakeLine): void {
    this.#options.counts.cut++;
    this.skipping = true;
    this.#takePart(content, chunk.subarray(0, characterBoundary(chunk, bytes)), take, true);
  }

  #takePart(content: Content, line: Buffer, take: TakeLine, skipping: boolean): void {
    const { position } = this.#file;
    const next = position + line.length;
    if (position < HEAD_BYTES) content.generation.nameLine(position, next);
    take(content, line, position, next, skipping);
    this.lines++;
    this.#file.advance(line, line.length);
  }

  /** @returns whether bytes were skipped */
  #skip(chunk: Buffer): boolean {
    const newline = chunk.indexOf(NEWLINE);
    const nul = chunk.indexOf(NUL);
    const isNul = nul !== -1 && (newline === -1 || nul < newline);
    const end = isNul ? nul : newline === -1 ? chunk.length : newline + 1;
    this.skipping = !isNul && newline === -1;
    this.#options.counts.skippedBytes += end;
    this.#file.advance(chunk, end);
    return chunk.length > 0;
  }
}

/** The end of the last complete line, or of the last NUL. */
function endOfLines(chunk: Buffer, nul: number): number {
  return Math.max(chunk.lastIndexOf(NEWLINE), nul === -1 ? -1 : chunk.lastIndexOf(NUL)) + 1;
}

/** The next end of an event or a line that an earlier run has recorded as a cut. */
function nextCut({ cuts }: Content, position: number): number {
  let next = Infinity;
  for (const { at } of cuts) if (at > position && at < next) next = at;
  return next;
}

/** A source of lines: our reader or, in tests that compare readers, another one. */
export interface LineSource extends Disposable {
  /**
   * Finds new, renamed and removed files.
   * @param all looks at all files, also at those of which the kernel reported no change
   */
  look(all?: boolean): void;
  /** Reads one chunk of each file that has more. Returns whether more can be read immediately. */
  read(take: TakeLine, options: ReadOptions): Promise<boolean>;
  /**
   * Resolves immediately if files have appeared or disappeared. Otherwise it resolves after `ms`, once files have grown
   * or may have grown. Rejects with the signal's reason.
   */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  /** The number of bytes that are not acknowledged. */
  readonly left: number;
}

export interface ReadOptions {
  /** Set when nothing more will be read, so that unterminated lines count. */
  readonly final: boolean;
  /** Whether unterminated lines may be taken: the checkpoint must record where they end. The default is true. */
  readonly mayCut?: boolean;
  /** Whether the generation is not to be read on for now; its successors at the path wait too. */
  readonly isHeld?: (content: Content) => boolean;
  /** Whether the server accepts nothing at present; by default it does. */
  readonly isStalled?: boolean;
  /** Called before each chunk: waits until there is room, and yields. Returns whether reading continues. */
  readonly pace: () => Promise<boolean>;
}
