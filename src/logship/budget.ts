import { once } from 'node:events';

/**
 * Bounds the bytes between reading and acknowledgement. When they are spent reading stops: the log file is the buffer.
 */
export class Budget {
  readonly #limit: number;
  readonly #freed = new EventTarget();
  #used = 0;

  /** @param limit bytes; what is taken at once may exceed it */
  constructor(limit: number) {
    this.#limit = limit;
  }

  take(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
    if (this.#used < this.#limit) this.#freed.dispatchEvent(new Event('freed'));
  }

  /** Resolves when there is room, also when the wait is aborted: the caller looks at its signal. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#used >= this.#limit && !signal.aborted)
      await once(this.#freed, 'freed', { signal }).catch(() => {
        if (!signal.aborted) throw new Error('the wait for room failed');
      });
  }
}
