import { backoffMs, type Backoff } from '../../core/backoff.ts';
import { LONGEST_MS } from '../../core/duration.ts';

/** After an error, a key is retried after an interval that doubles. */
const BACKOFF: Backoff = { minMs: 1000, maxMs: 5 * 60_000 };

/** When a change that the API server refuses is tried again: the end of a quota or a policy is nothing that is watched. */
export const REFUSED_MS = 60_000;

/** How a key was handled, and when to handle it again without an event. */
export interface Result {
  /** Undefined: after the next event. */
  readonly requeueAfterMs?: number | undefined;
}

interface QueueOptions {
  /** Never called twice for one key at the same time. A rejection is reported and retried with backoff. */
  readonly handle: (key: string) => Promise<Result>;
  readonly onError: (key: string, error: unknown, requeueAfterMs: number) => void;
  /** Maximum number of keys that are handled at the same time. */
  readonly maxConcurrentReconciles: number;
  /** Whether a key is begun only when nothing else waits or is handled. */
  readonly isLast?: (key: string) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Keys to handle. A key that is added several times before its turn is handled once; one that is added during its turn is
 * handled again afterwards.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #waiting = new Set<string>();
  readonly #active = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, { readonly timer: NodeJS.Timeout; readonly at: number }>();
  readonly #failures = new Map<string, number>();
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#stop(), { once: true });
  }

  add(key: string): void {
    if (this.#options.signal.aborted) return;
    this.#waiting.add(key);
    this.#next();
  }

  /** Adds the key after a delay, or earlier if an earlier one is pending. */
  addAfter(key: string, ms: number): void {
    const at = performance.now() + ms;
    const pending = this.#timers.get(key);
    if (this.#options.signal.aborted || (pending !== undefined && pending.at <= at)) return;
    clearTimeout(pending?.timer);
    const timer = setTimeout(
      () => {
        this.#timers.delete(key);
        this.add(key);
      },
      Math.min(ms, LONGEST_MS),
    );
    this.#timers.set(key, { timer, at });
  }

  /** Resolves when the signal is aborted and all turns have ended. */
  async ended(): Promise<void> {
    if (!this.#options.signal.aborted) await (this.#idle ??= Promise.withResolvers()).promise;
    await Promise.all(this.#active.values());
  }

  #next(): void {
    const { maxConcurrentReconciles, isLast = () => false } = this.#options;
    for (const key of this.#waiting) {
      if (this.#active.size >= maxConcurrentReconciles) return;
      if (!this.#active.has(key) && !isLast(key)) this.#begin(key);
    }
    const [last] = this.#waiting;
    if (this.#active.size === 0 && last !== undefined) this.#begin(last);
  }

  #begin(key: string): void {
    this.#waiting.delete(key);
    this.#active.set(key, this.#turn(key));
  }

  async #turn(key: string): Promise<void> {
    const { handle, onError, signal } = this.#options;
    try {
      const { requeueAfterMs } = await handle(key);
      this.#failures.delete(key);
      if (requeueAfterMs !== undefined) this.addAfter(key, requeueAfterMs);
    } catch (error) {
      if (!signal.aborted) {
        const failures = this.#failures.get(key) ?? 0;
        this.#failures.set(key, failures + 1);
        const requeueAfterMs = backoffMs(failures, BACKOFF);
        onError(key, error, requeueAfterMs);
        this.addAfter(key, requeueAfterMs);
      }
    }
    this.#active.delete(key);
    if (!signal.aborted) this.#next();
  }

  #stop(): void {
    this.#waiting.clear();
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#idle?.resolve();
  }
}
