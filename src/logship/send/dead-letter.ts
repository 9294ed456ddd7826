import { constants } from 'node:fs';
import { rename, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../core/log.ts';
import { ignoreAbsent } from '../../fs/absent.ts';
import { syncDirectory } from '../../fs/replace-file.ts';
import { openOwn, type StateDirectory } from '../state/held-directory.ts';
import { eachLine, partsOf, writtenIn, type Part } from './letter-file.ts';

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
   * What tells which letters earlier runs have written, to the older file and to the current one. After a crash before the next
   * checkpoint, their lines are read and rejected again: any of them, since a document that waits holds the mark before all later
   * ones of its file.
   */
  #earlier: readonly [older: readonly Part[], current: readonly Part[]] | undefined;
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
    const time = this.#options.now().toISOString();
    const all = letters.map(contentOf);
    const written = await this.#writtenOf(all.map(({ id }) => id));
    const contents = all.filter(({ id }) => !written.has(id));
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

  /** Those of the IDs whose letters earlier runs have written. */
  async #writtenOf(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const files = [`${this.#at}.1`, this.#at] as const;
    this.#earlier ??= [await partsOf(files[0]), await partsOf(files[1])];
    const [older, current] = this.#earlier;
    return new Set([...(await writtenIn(files[0], older, ids)), ...(await writtenIn(files[1], current, ids))]);
  }

  async #rotate(more: number): Promise<void> {
    const { limit, log, onDropped } = this.#options;
    const size = (await stat(this.#at).catch(ignoreAbsent))?.size ?? 0;
    if (size === 0 || size + more <= limit / 2) return;
    const older = `${this.#at}.1`;
    let dropped = 0;
    await eachLine(older, () => dropped++);
    await rename(this.#at, older);
    this.#earlier = [this.#earlier?.[1] ?? [], []];
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
