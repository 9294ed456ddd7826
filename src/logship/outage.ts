import { formatDuration } from '../cli/duration.ts';
import type { Log } from '../cli/log.ts';

const REPEAT_MS = 30_000;

/** Says that the server takes nothing: when it begins, when the reason changes, every half minute, and when it ends. */
export class Outage {
  readonly #name: string;
  readonly #log: Log;
  readonly #now: () => number;
  #sinceMs: number | undefined;
  #saidMs = 0;
  #reason = '';

  /** @param name the server's */
  constructor(name: string, log: Log, now: () => number) {
    this.#name = name;
    this.#log = log;
    this.#now = now;
  }

  held(reason: string): void {
    const now = this.#now();
    this.#sinceMs ??= now;
    if (reason === this.#reason && now - this.#saidMs < REPEAT_MS) return;
    this.#reason = reason;
    this.#saidMs = now;
    const since = now - this.#sinceMs < 1000 ? {} : { since: formatDuration(now - this.#sinceMs) };
    this.#log.warn(`${this.#name} takes nothing, lines wait in their files: ${reason}`, since);
  }

  /** Why it takes nothing now, and since when; undefined while it does. */
  get current(): { readonly reason: string; readonly sinceMs: number } | undefined {
    return this.#sinceMs === undefined ? undefined : { reason: this.#reason, sinceMs: this.#sinceMs };
  }

  over(): void {
    if (this.#sinceMs === undefined) return;
    this.#log.info(`${this.#name} takes documents again`, { after: formatDuration(this.#now() - this.#sinceMs) });
    this.#sinceMs = undefined;
    this.#reason = '';
  }
}
