/**
 * Maximum debounce time, in intervals. One change causes many events, but a directory that never stops changing must
 * not be deferred forever.
 */
const LONGEST_SETTLES = 10;

export interface Patience {
  /** Debounce interval after an event. */
  readonly settleMs: number;
  /** Maximum time to wait for an event. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** A debounced event for a single waiter; events between waits count for the next one. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /**
   * Resolves with true `settleMs` after the last event (or after ten times that), with false after `idleMs` without an
   * event. Rejects with the signal's reason.
   */
  async wait({ settleMs, idleMs, signal }: Patience): Promise<boolean> {
    if (!(await this.#next(idleMs, signal))) return false;
    const latest = performance.now() + settleMs * LONGEST_SETTLES;
    while (performance.now() < latest && (await this.#next(settleMs, signal)));
    return true;
  }

  /** Whether an event occurred in time. */
  async #next(withinMs: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = () => resolve();
      const timer = setTimeout(end, withinMs);
      this.#wake = end;
      signal.addEventListener('abort', end, { once: true });
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
      signal.removeEventListener('abort', end);
      signal.throwIfAborted();
    }
    const was = this.#rung;
    this.#rung = false;
    return was;
  }
}
