import type { Log } from '../../core/log.ts';

/** Logs each warning only once while its cause lasts. */
export class DedupedWarnings {
  readonly #log: Log;
  /** The last text for each cause. */
  readonly #last = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  warn(of: string, text: string): void {
    if (this.#last.get(of) === text) return;
    this.#last.set(of, text);
    this.#log.warn(text);
  }

  /** Call this when the cause is gone. */
  over(of: string, text: string): void {
    if (this.#last.delete(of)) this.#log.info(text);
  }
}
