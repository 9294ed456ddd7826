import { formatDuration } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';

const REPEAT_MS = 30_000;
const BUSY_MS = 5000;

/** Says that the server takes nothing: when it begins, when the reason changes, every half minute, and when it ends. */
export class Outage {
  readonly #name: string;
  readonly #log: Log;
  readonly #now: () => number;
  #sinceMs: number | undefined;
  #saidMs = 0;
  #reason = '';
  #stuckInARow = 0;
  #busySinceMs: number | undefined;
  #someSaidMs = -Infinity;

  /** @param name the server's */
  constructor(name: string, log: Log, now: () => number) {
    this.#name = name;
    this.#log = log;
    this.#now = now;
  }

  /** A request was refused as a whole, or got no answer. */
  held(reason: string): void {
    const now = this.#now();
    this.#sinceMs ??= now;
    if (reason === this.#reason && Math.abs(now - this.#saidMs) < REPEAT_MS) return;
    this.#reason = reason;
    this.#saidMs = now;
    const since = now - this.#sinceMs < 1000 ? {} : { since: formatDuration(now - this.#sinceMs) };
    this.#log.warn(`${this.#name} takes nothing, lines wait in their files: ${reason}`, since);
  }

  /** It has too much to do. Only when that lasts it is an outage: a full queue is work that is being done. */
  busy(reason: string): void {
    this.#busySinceMs ??= this.#now();
    if (Math.abs(this.#now() - this.#busySinceMs) >= BUSY_MS) this.held(reason);
  }

  /** Of a request none of the documents was taken. One alone may hold only those of a closed index. */
  stuck(reason: string): void {
    if (++this.#stuckInARow > 1) this.held(reason);
  }

  /** Documents wait while others are taken. */
  someWait(documents: number, reason: string): void {
    const now = this.#now();
    if (now - this.#someSaidMs < REPEAT_MS) return;
    this.#someSaidMs = now;
    this.#log.info(`${documents} documents of a request are sent again: ${reason}`);
  }

  /** Why it takes nothing now, and since when; undefined while it does. */
  get current(): { readonly reason: string; readonly sinceMs: number } | undefined {
    return this.#sinceMs === undefined ? undefined : { reason: this.#reason, sinceMs: this.#sinceMs };
  }

  over(): void {
    this.#stuckInARow = 0;
    this.#busySinceMs = undefined;
    if (this.#sinceMs === undefined) return;
    this.#log.info(`${this.#name} takes documents again`, { after: formatDuration(this.#now() - this.#sinceMs) });
    this.#sinceMs = undefined;
    this.#reason = '';
  }
}
