import type { Log } from '../core/log.ts';

/** Logs each warning once while its cause lasts. */
export class DedupedWarnings {
  readonly #log: Log;
  /** The last text per cause. */
  readonly #last = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  warn(of: string, text: string): void {
    if (this.#last.get(of) === text) return;
    this.#last.set(of, text);
    this.#log.warn(text);
  }

  /** The cause is gone. */
  over(of: string, text: string): void {
    if (this.#last.delete(of)) this.#log.info(text);
  }
}
