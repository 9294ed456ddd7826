import { backoffMs, pause } from '../../core/backoff.ts';
import type { Batch } from './batch.ts';
import type { Delivered } from './deliver.ts';
import { Gate, type Capacity } from './limits.ts';

/** Batches that wait for a lane: more would only take memory, the file is the buffer. */
const QUEUED = 2;
const BACKOFF = { minMs: 200, maxMs: 10_000 };
/** What is on its way always comes to an end: no signal is needed to wait for it. */
const NEVER = new AbortController().signal;
/** Asked to stop there is no time for long pauses. */
const LAST_BACKOFF = { minMs: 200, maxMs: 1000 };

interface OutboxOptions {
  /** One try. Rejects only for what ends the program. */
  readonly send: (batch: Batch) => Promise<Delivered>;
  /** How many requests may be on their way at once. */
  readonly capacity: Pick<Capacity, 'requests'>;
  /** Told once, when `send` has rejected for another reason than the signal. */
  readonly failed: (error: unknown) => void;
  /** Asked to stop. */
  readonly stopping: AbortSignal;
  /** Gives up at once. */
  readonly signal: AbortSignal;
}

/**
 * Sends batches, as many at a time as the server can take, and again what comes back. A server that takes nothing is asked with pauses that grow, for
 * all batches together; a few documents that it does not take wait apart, and the others go past them.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #queue: Batch[] = [];
  /** What waits apart, and its timer. */
  readonly #waiting = new Map<Batch, NodeJS.Timeout>();
  readonly #sending = new Set<Batch>();
  #lanes = 0;
  #refusedInARow = 0;
  readonly #room = new Gate();
  readonly #idle = new Gate();
  #isOver = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    const { stopping, signal } = options;
    stopping.addEventListener('abort', () => this.#hurry(), { once: true });
    signal.addEventListener('abort', () => this.#giveUp(), { once: true });
  }

  /** Whether a batch would leave at once. */
  get isFree(): boolean {
    return this.#lanes < this.#options.capacity.requests && !this.#isOver;
  }

  /** Whether a batch more would soon leave. */
  get hasRoom(): boolean {
    return this.#queue.length < QUEUED;
  }

  /** Resolves when it has room, or when the signal is aborted: the caller looks at both. */
  async room(signal: AbortSignal): Promise<void> {
    while (!this.hasRoom && !signal.aborted) await this.#room.next(signal);
  }

  /** Documents that wait apart because the server does not take them, while it takes others. */
  get waiting(): number {
    return [...this.#waiting.keys()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Documents that are not acknowledged. */
  get documents(): number {
    return this.#unsettled.reduce((sum, { count }) => sum + count, 0);
  }

  /** When the oldest document was read that is not acknowledged, in milliseconds since the epoch. */
  get sinceMs(): number | undefined {
    const open = this.#unsettled;
    return open.length === 0 ? undefined : open.reduce((least, { sinceMs }) => Math.min(least, sinceMs), Infinity);
  }

  get #unsettled(): readonly Batch[] {
    return [...this.#queue, ...this.#sending, ...this.#waiting.keys()];
  }

  offer(batch: Batch): void {
    if (this.#isOver) return;
    this.#queue.push(batch);
    this.#open();
  }

  /** Resolves when nothing is left to send, be it that all is settled or that sending is over. */
  async idle(): Promise<void> {
    while (this.#lanes > 0 || this.#waiting.size > 0) await this.#idle.next(NEVER);
  }

  #open(): void {
    if (this.isFree && this.#queue.length > 0) void this.#drain();
  }

  /** A lane. It ends when nothing is left to send, or when there are more than the server can take. */
  async #drain(): Promise<void> {
    this.#lanes++;
    try {
      while (this.#lanes <= this.#options.capacity.requests) {
        const batch = this.#queue.shift();
        if (batch === undefined) break;
        if (this.hasRoom) this.#room.open();
        await this.#try(batch);
        this.#open();
      }
    } catch (error) {
      const isFirst = !this.#isOver;
      this.#giveUp();
      if (isFirst) this.#options.failed(error);
    } finally {
      this.#lanes--;
      this.#open();
      this.#idle.open();
    }
  }

  async #try(batch: Batch): Promise<void> {
    this.#sending.add(batch);
    try {
      await this.#rest();
      const { again, tookNothing } = await this.#options.send(batch);
      this.#refusedInARow = tookNothing ? this.#refusedInARow + 1 : 0;
      if (this.#isOver || again === undefined) return;
      if (again === batch) this.#queue.unshift(again);
      else this.#putAside(again);
    } finally {
      this.#sending.delete(batch);
    }
  }

  /** After requests of which nothing was taken. A stop cuts the pause short. */
  async #rest(): Promise<void> {
    const { stopping, signal } = this.#options;
    signal.throwIfAborted();
    if (this.#refusedInARow === 0) return;
    const attempt = this.#refusedInARow - 1;
    if (stopping.aborted) return await pause(backoffMs(attempt, LAST_BACKOFF), signal);
    try {
      await pause(backoffMs(attempt, BACKOFF), AbortSignal.any([stopping, signal]));
    } catch {
      signal.throwIfAborted();
    }
  }

  #putAside(batch: Batch): void {
    const backoff = this.#options.stopping.aborted ? LAST_BACKOFF : BACKOFF;
    const timer = setTimeout(() => this.#takeUp(batch), backoffMs(batch.tries - 1, backoff));
    this.#waiting.set(batch, timer);
  }

  #takeUp(batch: Batch): void {
    clearTimeout(this.#waiting.get(batch));
    this.#waiting.delete(batch);
    this.#queue.unshift(batch);
    this.#open();
  }

  #hurry(): void {
    for (const batch of this.#waiting.keys()) this.#takeUp(batch);
  }

  #giveUp(): void {
    this.#isOver = true;
    this.#queue.length = 0;
    if (this.hasRoom) this.#room.open();
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#idle.open();
  }
}
