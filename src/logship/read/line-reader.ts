import type { Log } from '../../core/log.ts';
import type { Counts } from '../counts.ts';
import { characterBoundary, CHUNK_BYTES, holeIn, readBytesFor, skipNuls } from './bytes.ts';
import type { Content, Contents } from './contents.ts';
import { HEAD_BYTES } from './generation.ts';
import type { HeldFile } from './held-file.ts';

/**
 * Receives one line as bytes of a shared buffer, which the next read overwrites.
 * @param chunk the same object for all lines of a read
 * @param offset of the line in its generation
 * @param next offset of the next line
 * @param skipping whether the rest of this overlong line follows at `next`
 * @param start of the line in the chunk, if it is not the whole chunk
 */
export type TakeLine = (
  content: Content,
  chunk: Buffer,
  offset: number,
  next: number,
  skipping: boolean,
  start?: number,
  end?: number,
) => void;

export interface LineReaderOptions {
  readonly contents: Pick<Contents, 'cutLine'>;
  readonly counts: Counts;
  readonly log: Log;
  /** Maximum length; longer lines are truncated. */
  readonly maxLineBytes: number;
}

const NEWLINE = 10;

/**
 * Splits an open file's bytes into lines. Between reads only the position is kept: an unfinished line is read again
 * from its start.
 */
export class LineReader {
  readonly #path: string;
  readonly #file: HeldFile;
  readonly #options: LineReaderOptions;
  /** Number of lines that were taken. */
  lines = 0;
  /** Set while the rest of an overlong line is skipped. */
  skipping = false;

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
    if (this.skipping) return this.#skip(chunk);
    const hole = holeIn(chunk, this.#file.position, this.#file.lead.at(-1));
    if (hole !== -1) return this.#leap(content, chunk.subarray(0, hole), take);
    const isLast = chunk.length === room || (final && !isFull);
    const consumed = this.#takeLines(content, chunk, take);
    if (consumed > 0) {
      this.#file.advance(chunk, consumed);
      return isFull || (isLast && consumed < chunk.length);
    }
    if (chunk.length === 0) return false;
    const nuls = skipNuls(chunk, 0);
    if (nuls > 0) {
      this.#file.advance(chunk, nuls);
      return true;
    }
    if (isLast) this.#takeRest(content, chunk, take);
    else if (isFull) return this.#takeLong(content, take, final);
    return isFull;
  }

  /** @returns the number of bytes in complete lines */
  #takeLines(content: Content, chunk: Buffer, take: TakeLine): number {
    const { maxLineBytes, counts } = this.#options;
    const position = this.#file.position;
    let start = 0;
    // An unfinished line may end in the middle of a character.
    const lines = chunk.subarray(0, chunk.lastIndexOf(NEWLINE) + 1);
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (chunk[start] === 0) start = skipNuls(chunk, start);
      const isLong = end - start > maxLineBytes;
      if (isLong) counts.cut++;
      const cut = isLong ? characterBoundary(chunk, start + maxLineBytes) : end;
      const next = position + end + 1;
      if (position + start < HEAD_BYTES) content.generation.nameLine(position + start, next);
      take(content, lines, position + start, next, false, start, cut);
      this.lines++;
      start = end + 1;
    }
    return start;
  }

  /**
   * Skips a hole, including the partial lines on both sides: these lines were acknowledged before the hole was punched.
   */
  #leap(content: Content, chunk: Buffer, take: TakeLine): true {
    const consumed = this.#takeLines(content, chunk, take);
    if (consumed > 0) this.#file.advance(chunk, consumed);
    else {
      this.skipping = true;
      this.#options.log.info(`${this.#path}: the reclaimed part after byte ${this.#file.position} is not read again`);
    }
    return true;
  }

  /** Takes a line longer than a chunk, truncated if it exceeds the limit. */
  #takeLong(content: Content, take: TakeLine, final: boolean): boolean | undefined {
    const { maxLineBytes } = this.#options;
    const wanted = readBytesFor(maxLineBytes) + 1;
    const room = nextCut(content, this.#file.position) - this.#file.position;
    const chunk = this.#file.read(Math.min(wanted, room), content.generation);
    if (chunk === undefined) return undefined;
    const hole = holeIn(chunk, this.#file.position, this.#file.lead.at(-1));
    if (hole !== -1) return this.#leap(content, chunk.subarray(0, hole), take);
    const consumed = this.#takeLines(content, chunk, take);
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
    this.skipping = newline === -1;
    this.#file.advance(chunk, newline === -1 ? chunk.length : newline + 1);
    return chunk.length > 0;
  }
}

/** The next end of an event or a line that an earlier run has recorded as a cut. */
function nextCut({ cuts }: Content, position: number): number {
  let next = Infinity;
  for (const { at } of cuts) if (at > position && at < next) next = at;
  return next;
}

/** A source of lines: our reader or, in tests that compare readers, another one. */
export interface LineSource extends Disposable {
  /** Finds new, renamed and removed files. */
  look(): void;
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
  /** Called before each chunk: waits until there is room, and yields. Returns whether reading continues. */
  readonly pace: () => Promise<boolean>;
}
