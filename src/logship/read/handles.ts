import { codeOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** An open file that can be closed for a while, because it is found again by its name. */
export interface Lender {
  /** What would be lost if its name were removed while it is closed: the less, the sooner it is closed. */
  readonly stake: number;
  lend(): void;
}

/** What closing a file puts at risk, in rising order. */
export const STAKE = {
  /** It is read to its end, and at its path. */
  nothing: 0,
  /** It is read to its end, and was renamed: a process may still write to it. */
  laterLines: 1,
  unreadLines: 2,
  /** It was renamed, and will soon be compressed or removed. */
  unreadRotatedLines: 3,
  /** It has no name any more, and would not be found again. */
  all: Infinity,
} as const;

/** Descriptors for everything else: sockets, the checkpoint, child processes, files that are opened to be compared. */
const LEAST_RESERVE = 128;
/** The same as a part of the limit. */
const RESERVE_SHARE = 8;
/** After the system refused a descriptor, one in this many is released. */
const RELEASED = 8;

/** Number of files that are compared to choose one, unless none of them can be closed. */
const LOOKED_AT = 64;

/** Maximum number of log files that may be open, for a limit of open files. */
export function mostHandles(limit: number): number {
  return Math.floor(limit - Math.min(limit / 2, Math.max(LEAST_RESERVE, limit / RESERVE_SHARE)));
}

/** The limit of open files with which that many log files are open at once. */
function limitFor(files: number): number {
  return Math.ceil(Math.max(files + LEAST_RESERVE, (files * RESERVE_SHARE) / (RESERVE_SHARE - 1)));
}

interface HandlesOptions {
  /** The process's limit of open files; by default there is none. */
  readonly limit?: number | undefined;
  /** Number of readers that share it. */
  readonly readers?: number;
  readonly log: Log;
}

/**
 * The open log files of one reader. If more are followed than the limit of open files allows, those that wait for
 * nothing are closed, and opened again when they are read.
 */
export class Handles {
  readonly #options: HandlesOptions;
  readonly #readers: number;
  /** Open files. Once handles are short, from the one whose use is longest ago. */
  readonly #open = new Set<Lender>();
  #most: number;
  #isShort = false;
  #isTold = false;

  constructor(options: HandlesOptions) {
    const { limit = Infinity, readers = 1 } = options;
    this.#options = options;
    this.#readers = readers;
    this.#most = Math.max(1, Math.floor(mostHandles(limit) / readers));
  }

  /** Number of open files. */
  get size(): number {
    return this.#open.size;
  }

  /** Called when a file was opened or read. Others may be closed. */
  use(file: Lender): void {
    if (this.#isShort) this.#open.delete(file);
    this.#open.add(file);
    this.#close(file);
  }

  /** Called when a file was closed permanently. */
  delete(file: Lender): void {
    this.#open.delete(file);
  }

  /**
   * Opens a file. If the process or the system has no descriptor left, because the limit was lowered or something else
   * uses them, log files are closed first, and fewer of them are kept open from then on.
   * @throws the error of `open`
   */
  open<T>(open: () => T): T {
    try {
      return open();
    } catch (error) {
      if (!isOutOfHandles(error) || this.#open.size === 0) throw error;
      this.#most = Math.max(1, this.#open.size - Math.ceil(this.#open.size / RELEASED));
      this.#close();
      return open();
    }
  }

  /** Says once that not all files can be open. @param files number of followed files */
  report(files: number): void {
    if (!this.#isShort || this.#isTold) return;
    this.#isTold = true;
    const { limit, log } = this.#options;
    const of = limit === undefined ? '' : ` of the ${limit} of RLIMIT_NOFILE`;
    const wanted = limitFor(Math.max(files, this.#most + 1) * this.#readers);
    log.warn(
      `${files} log files are read in turns, because only ${this.#most}${of} can be open at once: unread lines of a file ` +
        `that is removed while it is closed are lost. Raise the hard limit of open files to ${wanted}`,
      { files, open: this.#most },
    );
  }

  /** Closes what is too much. @param used a file that stays open */
  #close(used?: Lender): void {
    while (this.#open.size > this.#most) {
      const file = this.#leastAtStake(used);
      // They are released when they are read to their end, and no other becomes one of them.
      if (file === undefined) return;
      this.#isShort = true;
      this.#open.delete(file);
      file.lend();
    }
  }

  #leastAtStake(used: Lender | undefined): Lender | undefined {
    let [found, least]: [Lender | undefined, number] = [undefined, STAKE.all];
    let looked = 0;
    for (const file of this.#open) {
      if (file === used) continue;
      const { stake } = file;
      if (stake < least) [found, least] = [file, stake];
      if (stake === STAKE.nothing || (++looked >= LOOKED_AT && found !== undefined)) break;
    }
    return found;
  }
}

function isOutOfHandles(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EMFILE' || code === 'ENFILE';
}
