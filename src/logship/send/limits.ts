import { unlessAborted } from '../../core/abort.ts';

/** Lets those go on who wait for something, such as room, that comes and goes. */
export class Gate {
  #opening: PromiseWithResolvers<void> | undefined;

  open(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  /** Resolves when it is opened next, also when the wait is aborted: the caller looks at its signal. */
  async next(signal: AbortSignal): Promise<void> {
    this.#opening ??= Promise.withResolvers<void>();
    await unlessAborted(this.#opening.promise, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/**
 * Bounds the bytes between reading and acknowledgement. When they are spent reading stops: the log file is the buffer.
 */
export class Budget {
  readonly #limit: number;
  #used: number;
  readonly #freed = new Gate();

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
    if (!this.isSpent) this.#freed.open();
  }

  /** Resolves when there is room, also when the wait is aborted: the caller looks at its signal. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isSpent && !signal.aborted) await this.#freed.next(signal);
  }
}

/** A little less than the mebibyte that nginx takes by default, so that a last document of usual length fits too. */
const MOST_BYTES = 960 * 1024;
const LEAST_BYTES = 128 * 1024;
/** Who does not take so much takes no logs: that is a misconfigured proxy, which an operator fixes, and no fault of a line. */
export const LEAST_REQUEST_BYTES = 64 * 1024;
const STEP_BYTES = 32 * 1024;
/** One on its way while the server works on the other. */
const MOST_REQUESTS = 2;
/** Requests that it takes in a row before it is asked for more at once. */
const STREAK = 20;

/**
 * What a server can take: when it has too much to do, one request at a time of half the bytes; slowly more as it takes them
 * again; and never as many bytes as it has refused for their length.
 */
export class Capacity {
  readonly #limit: number;
  #bytes: number;
  /** More was refused for its length. */
  #longest = Infinity;
  #requests: number;
  readonly #mostRequests: number;
  #streak = 0;

  /**
   * @param most where memory is scarce
   * @param mostRequests at a time
   */
  constructor(most: number = MOST_BYTES, mostRequests: number = MOST_REQUESTS) {
    this.#mostRequests = this.#requests = mostRequests;
    this.#limit = Math.min(most, MOST_BYTES);
    this.#bytes = this.#limit;
  }

  get #most(): number {
    return Math.min(this.#limit, this.#longest);
  }

  /** That a request shall have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many may be on their way at once. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether a request that was filled before would better be two now. */
  isTooMuch(bytes: number): boolean {
    return bytes > this.#longest || bytes > 2 * this.#bytes;
  }

  /** The server took a request. */
  taken(): void {
    this.#bytes = Math.min(this.#most, this.#bytes + STEP_BYTES);
    if (++this.#streak % STREAK !== 0) return;
    this.#requests = this.#mostRequests;
    // So few were a misconfigured proxy, which may be fixed by now: one request in so many asks.
    if (this.#longest < LEAST_REQUEST_BYTES) this.#longest *= 8;
  }

  /** It has too much to do (429), or a proxy closed the connection. */
  busy(): void {
    this.#streak = 0;
    this.#requests = 1;
    this.#bytes = Math.min(this.#bytes, Math.max(LEAST_BYTES, this.#bytes >> 1));
  }

  /** A request of so many bytes was too long (413). */
  tooLong(bytes: number): void {
    this.#longest = Math.min(this.#longest, bytes >> 1);
    this.#streak = 0;
    this.#bytes = Math.min(this.#bytes, this.#most);
  }
}
