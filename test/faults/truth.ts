import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The progress of a writer, which may have been killed. */
export interface Truth {
  /** The first event. */
  readonly from: number;
  /** Every event below this one was written completely. */
  readonly whole: number;
  /** Events from `whole` up to this one may be complete, partial or missing. */
  readonly begun: number;
}

const DIGITS = 12;

/** Keeps the truth in a file, synced before and after the lines it describes are written. */
export class TruthFile implements Disposable {
  readonly #fd: number;

  constructor(path: string) {
    this.#fd = openSync(path, 'w');
  }

  write({ from, whole, begun }: Truth): void {
    writeSync(this.#fd, `${[from, whole, begun].map((n) => String(n).padStart(DIGITS)).join(' ')}\n`, 0);
    fdatasyncSync(this.#fd);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** The truth in a file. Without a file or text, the writer was killed before it started to write. */
export function readTruth(path: string, first: number): Truth {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (text === '') return { from: first, whole: first, begun: first };
  const [from = NaN, whole = NaN, begun = NaN] = text.split(/\s+/).map(Number);
  return { from, whole, begun };
}
