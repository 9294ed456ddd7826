import { constants } from 'node:fs';
import { rename, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { syncDirectory } from '../../fs/replace-file.ts';
import { openOwn, type StateDirectory } from '../state/held-directory.ts';

interface DeadLetterOptions {
  readonly directory: StateDirectory;
  /** The file's name: `dead-letter.jsonl`. */
  readonly name: string;
  /** Maximum total size in bytes of the file and its predecessor. */
  readonly limit: number;
  readonly log: Log;
  readonly now: () => Date;
  /** Called with the number of letters that were lost with the oldest file. */
  readonly onDropped: (letters: number) => void;
}

interface DeadLetter {
  /** The document as it was sent: its action line and its JSON. */
  readonly document: Buffer;
  readonly reason: string;
  /** The same for letters with the same problem. */
  readonly cause: string;
}

const NEWLINE = 10;
const CHUNK_BYTES = 64 * 1024;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

/**
 * Documents that the server rejects permanently, one JSON line each with the reason, for inspection. At half of the
 * allowed bytes the file is renamed to FILE.1, replacing the previous one, whose letters are counted and logged.
 */
export class DeadLetters {
  /** The file's path, for messages. */
  readonly file: string;
  readonly #at: string;
  readonly #options: DeadLetterOptions;
  #queue: Promise<void> = Promise.resolve();
  /**
   * IDs of letters that earlier runs have written. After a crash before the next checkpoint, their lines are read and
   * rejected again.
   */
  #earlier: ReadonlySet<string> | undefined;
  /** The causes that were logged. */
  readonly #causes = new Set<string>();

  constructor(options: DeadLetterOptions) {
    this.#options = options;
    this.file = options.directory.nameOf(options.name);
    this.#at = options.directory.at(options.name);
  }

  /**
   * Resolves when all letters are on disk, because only then their lines are settled. The first one of each cause is
   * logged. Rejects with the system's error.
   */
  async write(letters: readonly DeadLetter[]): Promise<void> {
    const mine = this.#queue.then(() => this.#append(letters));
    this.#queue = mine.catch(() => {});
    await mine;
    for (const { cause, reason } of letters) {
      if (this.#causes.has(cause)) continue;
      this.#causes.add(cause);
      this.#options.log.warn(`the server rejects a line: ${reason}; such lines go to ${this.file}`);
    }
  }

  async #append(letters: readonly DeadLetter[]): Promise<void> {
    this.#earlier ??= new Set([...(await lettersIn(`${this.#at}.1`)), ...(await lettersIn(this.#at))]);
    const time = this.#options.now().toISOString();
    const contents = letters.map(contentOf).filter(({ id }) => !this.#earlier?.has(id));
    if (contents.length === 0) return;
    const text = contents.map((content) => `${lineOf({ time, ...content })}\n`).join('');
    await this.#rotate(Buffer.byteLength(text));
    await using file = await openOwn(this.#at, APPEND);
    const { size } = await file.stat();
    try {
      await file.appendFile((await isTorn(file, size)) ? `\n${text}` : text);
      await file.datasync();
      // After a power failure a new file would be missing without its name in the directory.
      if (size === 0) await syncDirectory(dirname(this.#at));
    } catch (error) {
      // A full disk accepts only a part; the whole letter is written again later.
      await file.truncate(size).catch(() => {});
      throw error;
    }
  }

  async #rotate(more: number): Promise<void> {
    const { limit, log, onDropped } = this.#options;
    const size = (await stat(this.#at).catch(ignoreAbsent))?.size ?? 0;
    if (size === 0 || size + more <= limit / 2) return;
    const older = `${this.#at}.1`;
    const dropped = (await lettersIn(older)).length;
    await rename(this.#at, older);
    if (dropped === 0) return;
    onDropped(dropped);
    log.warn(
      `${dropped} dead letters, the oldest, were overwritten: the limit of both files together is ${limit} bytes`,
    );
  }
}

function contentOf({ document, reason }: DeadLetter) {
  const text = document.toString();
  const newline = text.indexOf('\n');
  const { create } = JSON.parse(text.slice(0, newline)) as { create: { _index: string; _id: string } };
  return { reason, index: create._index, id: create._id, document: JSON.parse(text.slice(newline)) as unknown };
}

/** JSON without Unicode's line separators, which end a line for readline and other readers of lines. */
function lineOf(letter: object): string {
  const json = JSON.stringify(letter);
  return json.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`);
}

/** Whether a crash has left an incomplete last line. */
async function isTorn(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== NEWLINE;
}

/**
 * The IDs of the letters in a file; none if it is missing. An incomplete line is skipped. Rejects with the system's
 * error.
 */
async function lettersIn(file: string): Promise<string[]> {
  const ids: string[] = [];
  try {
    await using handle = await openOwn(file, constants.O_RDONLY);
    for await (const line of linesOf(handle)) {
      const id = idOf(line);
      if (id !== undefined) ids.push(id);
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return ids;
}

async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let pieces: Buffer[] = [];
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1 && to < bytesRead; to = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, to)]).toString();
      pieces = [];
      from = to + 1;
    }
    pieces.push(Buffer.from(chunk.subarray(from, bytesRead)));
  }
  yield Buffer.concat(pieces).toString();
}

function idOf(line: string): string | undefined {
  try {
    const { id } = JSON.parse(line) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
