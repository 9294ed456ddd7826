import { unlessAborted } from '../../core/abort.ts';

/**
 * Bounds the bytes between reading and acknowledgement. When they are spent reading stops: the log file is the buffer.
 */
export class Budget {
  readonly #limit: number;
  #used: number;
  #freed: PromiseWithResolvers<void> | undefined;

  /**
   * @param limit bytes; what is taken at once may exceed it
   * @param reserved of them, for what is always there
   */
  constructor(limit: number, reserved = 0) {
    this.#limit = limit;
    this.#used = reserved;
  }

  get used(): number {
    return this.#used;
  }

  get isSpent(): boolean {
    return this.#used >= this.#limit;
  }

  take(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
    if (this.isSpent) return;
    this.#freed?.resolve();
    this.#freed = undefined;
  }

  /** Resolves when there is room, also when the wait is aborted: the caller looks at its signal. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isSpent && !signal.aborted) {
      this.#freed ??= Promise.withResolvers<void>();
      await unlessAborted(this.#freed.promise, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}
