import type { Log } from '../../core/log.ts';
import type { Counts } from '../counts.ts';
import { characterBoundary, CHUNK_BYTES, holeIn, readBytesFor, skipNuls } from './bytes.ts';
import type { Content, Contents } from './contents.ts';
import { HEAD_BYTES } from './generation.ts';
import type { HeldFile } from './held-file.ts';

/**
 * Gets one line as bytes of a shared buffer, which the next read overwrites.
 * @param offset where the line begins in its generation
 * @param next where the next one begins
 * @param skipping whether the rest of this line, which was too long, comes there first
 */
export type TakeLine = (content: Content, line: Buffer, offset: number, next: number, skipping: boolean) => void;

export interface LineReaderOptions {
  readonly contents: Pick<Contents, 'cutLine'>;
  readonly counts: Counts;
  readonly log: Log;
  /** Longer lines are cut there. */
  readonly maxLineBytes: number;
}

const NEWLINE = 10;

/**
 * Makes lines of a held file's bytes. Between reads nothing is kept but the place: an unfinished line is read again from its
 * start.
 */
export class LineReader {
  readonly #path: string;
  readonly #file: HeldFile;
  readonly #options: LineReaderOptions;
  /** How many were taken. */
  lines = 0;
  /** Whether a line that was too long is being skipped, up to its newline. */
  skipping = false;

  constructor(path: string, file: HeldFile, options: LineReaderOptions) {
    this.#path = path;
    this.#file = file;
    this.#options = options;
  }

  /**
   * Takes the lines of at most one chunk.
   * @param final also what follows the last newline, because nothing more will be read
   * @returns whether there may be more to read now; undefined when the content is not there any more
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

  /** @returns how many bytes the whole lines take */
  #takeLines(content: Content, chunk: Buffer, take: TakeLine): number {
    const { maxLineBytes, counts } = this.#options;
    const position = this.#file.position;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (chunk[start] === 0) start = skipNuls(chunk, start);
      const isLong = end - start > maxLineBytes;
      if (isLong) counts.cut++;
      const cut = isLong ? characterBoundary(chunk, start + maxLineBytes) : end;
      const next = position + end + 1;
      if (position + start < HEAD_BYTES) content.generation.nameLine(position + start, next);
      take(content, chunk.subarray(start, cut), position + start, next, false);
      this.lines++;
      start = end + 1;
    }
    return start;
  }

  /** Before a hole: the line that it cuts, and the one that it ends in, were acknowledged before they were reclaimed. */
  #leap(content: Content, chunk: Buffer, take: TakeLine): true {
    const consumed = this.#takeLines(content, chunk, take);
    if (consumed > 0) this.#file.advance(chunk, consumed);
    else {
      this.skipping = true;
      this.#options.log.info(`${this.#path}: what was reclaimed after byte ${this.#file.position} is not read again`);
    }
    return true;
  }

  /** A line that is longer than a chunk: whole up to the cap, cut there if it goes on. */
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

  /** The end of what will be read, which no newline ends. */
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

  /** The beginning of a line that is too long. */
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

  /** @returns whether something was skipped */
  #skip(chunk: Buffer): boolean {
    const newline = chunk.indexOf(NEWLINE);
    this.skipping = newline === -1;
    this.#file.advance(chunk, newline === -1 ? chunk.length : newline + 1);
    return chunk.length > 0;
  }
}

/** Where the next event or line ends that an earlier run has cut. */
function nextCut({ cuts }: Content, position: number): number {
  let next = Infinity;
  for (const { at } of cuts) if (at > position && at < next) next = at;
  return next;
}

/** Where lines come from: our own reader, or one that it is held against. */
export interface LineSource extends Disposable {
  /** Looks for new, renamed and removed files. */
  look(): void;
  /** Reads one chunk of each file that has more. Returns whether there is more to read now. */
  read(take: TakeLine, options: ReadOptions): Promise<boolean>;
  /**
   * Resolves at once when files came or went, and else not before that time, and then when files have grown, or may have.
   * Rejects with the signal's reason.
   */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  /** Bytes that are not acknowledged. */
  readonly left: number;
}

export interface ReadOptions {
  /** Nothing more will be read: unfinished lines count. */
  readonly final: boolean;
  /** Called before each chunk: waits for room and lets others run. Whether to go on. */
  readonly pace: () => Promise<boolean>;
}
