import type { Log } from '../../core/log.ts';
import { Wake } from './wake.ts';

/** How long quiet files may go unasked while the kernel tells of changes. */
const LONGEST_MS = 1000;

/** The pause between two looks, which ends early when there is something to see. */
export class Changes implements Disposable {
  readonly #wake: Wake;
  #hasMoved = false;
  #hasGrown = false;
  #onMoved = (): void => {};
  #onGrown = (): void => {};

  constructor(log: Log) {
    const moved = () => {
      this.#hasMoved = true;
      this.#onMoved();
    };
    const grown = () => {
      this.#hasGrown = true;
      this.#onGrown();
    };
    this.#wake = new Wake({ moved, grown, log });
  }

  /** Whether files have come or gone since `seen`. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  /** They were looked for. */
  seen(): void {
    this.#hasMoved = false;
  }

  /**
   * Resolves at once when files came into these folders or left them; else after that time when files have grown, or when
   * nobody would tell; else when one does, a second later at most. Rejects with the signal's reason.
   */
  async wait(folders: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
    void this.#wake.watch(folders);
    this.#hasGrown = false;
    if (!this.#hasMoved) await this.#rest(ms, signal);
    if (!this.#hasMoved && !this.#hasGrown && this.#wake.isWatching) {
      this.#onGrown = () => this.#onMoved();
      await this.#rest(Math.max(0, LONGEST_MS - ms), signal);
      this.#onGrown = () => {};
    }
    signal.throwIfAborted();
  }

  [Symbol.dispose](): void {
    this.#wake[Symbol.dispose]();
  }

  /** Resolves after that time, when something moved, and at an abort. */
  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const timer = setTimeout(end, ms);
    this.#onMoved = end;
    signal.addEventListener('abort', end, { once: true });
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
