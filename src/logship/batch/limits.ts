import { unlessAborted } from '../../core/abort.ts';

/** Wakes callers that wait for a recurring condition, such as free room. */
export class Gate {
  #opening: PromiseWithResolvers<void> | undefined;

  open(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  /**
   * Resolves the next time the gate opens, and when this or another wait is aborted; the caller checks its signal and
   * its condition.
   */
  async next(signal: AbortSignal): Promise<void> {
    this.#opening ??= Promise.withResolvers<void>();
    await unlessAborted(this.#opening.promise, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      // The promise keeps the aborted wait in memory: in an outage of days, one every quarter of a second.
      this.open();
    });
  }
}

/**
 * Bounds the bytes between reading and acknowledgement. When it is used up, reading stops: the log file is the buffer.
 */
export class Budget {
  readonly #limit: () => number;
  #used: number;
  readonly #freed = new Gate();

  /**
   * @param limit the present maximum number of bytes, which a single take may exceed
   * @param reserved the part that is always in use
   */
  constructor(limit: () => number, reserved = 0) {
    this.#limit = limit;
    this.#used = reserved;
  }

  get used(): number {
    return this.#used;
  }

  get isSpent(): boolean {
    return this.#used >= this.#limit();
  }

  take(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
    if (!this.isSpent) this.#freed.open();
  }

  /** Resolves when there is room, and when the wait is aborted; the caller checks its signal. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isSpent && !signal.aborted) await this.#freed.next(signal);
  }
}

/** Slightly less than nginx's default of 1 MiB, so that one more document of usual length fits. */
const MOST_BYTES = 960 * 1024;
const LEAST_BYTES = 128 * 1024;
/**
 * Minimum size. A lower limit is that of a misconfigured proxy, which an operator must fix; lines are not rejected
 * because of it.
 */
export const LEAST_REQUEST_BYTES = 64 * 1024;
const STEP_BYTES = 32 * 1024;
/** Two requests: one is transferred while the server processes the other. */
const MOST_REQUESTS = 2;
/** Number of successful requests in a row before the size is increased. */
const STREAK = 20;

/**
 * Adapts to the server's capacity: when overloaded, one request at a time with half the bytes; slowly more as requests
 * succeed; never a size it has rejected as too large.
 */
export class Capacity {
  readonly #limit: number;
  #bytes: number;
  /** The smallest size that was rejected as too large. */
  #longest = Infinity;
  #requests: number;
  readonly #mostRequests: number;
  #streak = 0;

  /**
   * @param most maximum size of a request, which is lower if memory is scarce
   * @param mostRequests maximum number of concurrent requests
   */
  constructor(most: number = MOST_BYTES, mostRequests: number = MOST_REQUESTS) {
    this.#mostRequests = this.#requests = mostRequests;
    this.#limit = Math.min(most, MOST_BYTES);
    this.#bytes = this.#limit;
  }

  get #most(): number {
    return Math.min(this.#limit, this.#longest);
  }

  /** The target size of a request. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Maximum number of concurrent requests. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether a request that was filled earlier should now be split. */
  isTooMuch(bytes: number): boolean {
    return bytes > this.#longest || bytes > 2 * this.#bytes;
  }

  /** Called when a request succeeded. */
  taken(): void {
    this.#bytes = Math.min(this.#most, this.#bytes + STEP_BYTES);
    if (++this.#streak % STREAK !== 0) return;
    this.#requests = this.#mostRequests;
    // A limit as low as this was that of a misconfigured proxy, which may be fixed by now: one request per streak tests
    // it.
    if (this.#longest < LEAST_REQUEST_BYTES) this.#longest *= 8;
  }

  /** Called when the server is overloaded (429) or a proxy closed the connection. */
  busy(): void {
    this.#streak = 0;
    this.#requests = 1;
    this.#bytes = Math.min(this.#bytes, Math.max(LEAST_BYTES, this.#bytes >> 1));
  }

  /** Called when a request of that size was too large (413). */
  tooLong(bytes: number): void {
    this.#longest = Math.min(this.#longest, bytes >> 1);
    this.#streak = 0;
    this.#bytes = Math.min(this.#bytes, this.#most);
  }
}
