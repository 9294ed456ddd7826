import { setTimeout as sleep } from 'node:timers/promises';

/** One change is many events; but a directory that is never quiet must not be put off for ever. */
const LONGEST_SETTLES = 10;

export interface Patience {
  /** How long it must have been quiet after a ring. */
  readonly settleMs: number;
  /** How long to wait for a ring. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** Rung by events, awaited by one; rings that come while none waits count for the next wait. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /**
   * Resolves with true when it was rung and has been quiet for `settleMs` since (or has rung for ten times that), with
   * false after `idleMs` without a ring. Rejects with the signal's reason.
   */
  async wait({ settleMs, idleMs, signal }: Patience): Promise<boolean> {
    if (!(await this.#next(idleMs, signal))) return false;
    const latest = performance.now() + settleMs * LONGEST_SETTLES;
    while (performance.now() < latest && (await this.#next(settleMs, signal)));
    return true;
  }

  /** Whether it rang before the time was over. */
  async #next(withinMs: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (!this.#rung) {
      const over = new AbortController();
      const rung = new Promise<void>((resolve) => (this.#wake = resolve));
      const either = AbortSignal.any([signal, over.signal]);
      // Unlike a pause, the end of this one is told by `rung`, not by a rejection.
      await Promise.race([rung, sleep(withinMs, undefined, { signal: either }).catch(() => {})]);
      over.abort();
      this.#wake = undefined;
      signal.throwIfAborted();
    }
    const was = this.#rung;
    this.#rung = false;
    return was;
  }
}
