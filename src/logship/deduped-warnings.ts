import type { Log } from '../core/log.ts';

/** Warns of each thing once, for as long as it stays so. */
export class DedupedWarnings {
  readonly #log: Log;
  /** What was said of each last. */
  readonly #last = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  warn(of: string, text: string): void {
    if (this.#last.get(of) === text) return;
    this.#last.set(of, text);
    this.#log.warn(text);
  }

  /** It is no longer so. */
  over(of: string, text: string): void {
    if (this.#last.delete(of)) this.#log.info(text);
  }
}
