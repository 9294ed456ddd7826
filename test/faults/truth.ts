import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** How far a writer has come, also one that was killed. */
export interface Truth {
  /** The first event. */
  readonly from: number;
  /** Every event from there on and below this one was written whole. */
  readonly whole: number;
  /** Of an event from `whole` on and below this one, nothing, a part or all was written. */
  readonly begun: number;
}

const DIGITS = 12;

/** Keeps the truth in a file. What it holds is on disk before the lines that it tells of are written, and after. */
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

/** Nothing from the first event on where the writer was killed before it began. */
export function readTruth(path: string, first: number): Truth {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (text === '') return { from: first, whole: first, begun: first };
  const [from = NaN, whole = NaN, begun = NaN] = text.split(/\s+/).map(Number);
  return { from, whole, begun };
}
