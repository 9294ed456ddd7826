import { backoffMs, pause } from '../../core/backoff.ts';
import type { Aside } from './aside.ts';
import { earliest, joined, type Batch } from '../batch/batch.ts';
import type { Delivered } from './deliver.ts';
import { Gate, type Capacity } from '../batch/limits.ts';

/** Number of batches that wait for a lane. More would only use memory, since the file is the buffer. */
const QUEUED = 2;
/**
 * Number of bytes by which requests may overtake one that is not answered. After a kill they are sent again with it,
 * because a file's position in the checkpoint stays before it.
 */
const AHEAD_BYTES = 4 * 1024 * 1024;
const BACKOFF = { minMs: 200, maxMs: 10_000 };
/** Requests in flight always end, so waiting for them needs no signal. */
const NEVER = new AbortController().signal;
/** Maximum pause during shutdown, which leaves no time for long ones. */
const LAST_BACKOFF = { minMs: 200, maxMs: 1000 };

interface OutboxOptions {
  /** Makes one attempt. Rejects only with errors that end the program. */
  readonly send: (batch: Batch) => Promise<Delivered>;
  /** Maximum number of concurrent requests, and their size. */
  readonly capacity: Pick<Capacity, 'requests' | 'bytes'>;
  /** Documents that wait separately. */
  readonly aside: Aside;
  /** Called once, when `send` rejects for a reason other than the signal. */
  readonly failed: (error: unknown) => void;
  /** Aborted when shutdown is requested. */
  readonly stopping: AbortSignal;
  /** Aborts immediately. */
  readonly signal: AbortSignal;
}

/**
 * Sends batches with as much concurrency as the server allows, and retries. During an outage it retries with backoff,
 * for all batches together; a few documents that the server does not accept wait separately, and others overtake them.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #queue: Batch[] = [];
  /** Batches that wait separately, with their timers. */
  readonly #waiting = new Map<Batch, NodeJS.Timeout>();
  /** Requests in flight, with the number of bytes sent before each. */
  readonly #sending = new Map<Batch, number>();
  #sentBytes = 0;
  /** Batches that wait or have waited separately, until they are sent, and whether the server was overloaded. */
  readonly #aside = new WeakMap<Batch, { readonly isBusy: boolean }>();
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

  /** Whether a batch would be sent immediately. */
  get isFree(): boolean {
    return this.#lanes < this.#options.capacity.requests && !this.#isOver && !this.#isAhead;
  }

  /** Whether another batch would be sent soon. */
  get hasRoom(): boolean {
    return this.#queue.length < QUEUED;
  }

  /** Resolves when there is room, or when the signal is aborted; the caller checks both. */
  async room(signal: AbortSignal): Promise<void> {
    while (!this.hasRoom && !signal.aborted) await this.#room.next(signal);
  }

  /** Number of documents that wait separately, because the server accepts others but not them. */
  get waiting(): number {
    return [...this.#waiting.keys()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Number of unacknowledged documents. */
  get documents(): number {
    return this.#unsettled.reduce((sum, { count }) => sum + count, 0);
  }

  /** When the oldest unacknowledged document was read, in milliseconds since the epoch. */
  get sinceMs(): number | undefined {
    const open = this.#unsettled;
    return open.length === 0 ? undefined : open.reduce((least, { sinceMs }) => Math.min(least, sinceMs), Infinity);
  }

  /** The earliest generation of the target that may have unacknowledged documents. */
  get indexGeneration(): number | undefined {
    return earliest(this.#unsettled);
  }

  get #unsettled(): readonly Batch[] {
    return [...this.#queue, ...this.#sending.keys(), ...this.#waiting.keys()];
  }

  get #isAhead(): boolean {
    for (const before of this.#sending.values()) if (this.#sentBytes - before >= AHEAD_BYTES) return true;
    return false;
  }

  offer(batch: Batch): void {
    if (this.#isOver) return;
    this.#queue.push(batch);
    this.#open();
  }

  /** Resolves when there is nothing left to send, because everything is settled or sending has ended. */
  async idle(): Promise<void> {
    while (this.#lanes > 0 || this.#waiting.size > 0) await this.#idle.next(NEVER);
  }

  #open(): void {
    if (this.isFree && this.#queue.length > 0) void this.#drain();
  }

  /** One lane. It ends when there is nothing left to send, or when the server allows fewer lanes. */
  async #drain(): Promise<void> {
    this.#lanes++;
    try {
      while (this.#lanes <= this.#options.capacity.requests && !this.#isAhead) {
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
    // Documents that wait separately have their own backoff, and a second one would use up the turns of others.
    const aside = this.#aside.get(batch);
    // Others overtake them anyway.
    this.#sending.set(batch, aside === undefined ? this.#sentBytes : Infinity);
    if (aside === undefined) this.#sentBytes += batch.body.length;
    try {
      this.#aside.delete(batch);
      if (aside?.isBusy !== false) await this.#rest();
      const { again, tookNothing, isBusy = false } = await this.#options.send(batch);
      if (!tookNothing) this.#refusedInARow = 0;
      // Documents that only their index rejects have a backoff of their own.
      else if (again === batch || isBusy) this.#refusedInARow++;
      if (this.#isOver || again === undefined) return;
      if (again === batch) this.#queue.unshift(again);
      else this.#putAside(again, isBusy);
    } finally {
      this.#options.aside.give(batch);
      this.#sending.delete(batch);
    }
  }

  /** Backoff after requests from which the server accepted no document. Shutdown ends it early. */
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

  #putAside(batch: Batch, isBusy: boolean): void {
    const backoff = this.#options.stopping.aborted ? LAST_BACKOFF : BACKOFF;
    const timer = setTimeout(() => this.#takeUp(batch), backoffMs(batch.tries - 1, backoff));
    this.#waiting.set(batch, timer);
    this.#options.aside.take(batch);
    this.#aside.set(batch, { isBusy });
  }

  #takeUp(batch: Batch): void {
    let all = batch;
    this.#stopWaiting(batch);
    // Others that wait go along, or the number of requests would grow with each line until the budget is used up.
    for (const other of this.#waiting.keys()) {
      if (!this.#waitsAlike(other, batch) || all.body.length + other.body.length > this.#options.capacity.bytes)
        continue;
      this.#stopWaiting(other);
      const { aside } = this.#options;
      for (const part of [all, other]) aside.give(part);
      all = joined(all, other);
      aside.take(all);
      this.#aside.set(all, { isBusy: false });
    }
    this.#queue.unshift(all);
    this.#open();
  }

  #stopWaiting(batch: Batch): void {
    clearTimeout(this.#waiting.get(batch));
    this.#waiting.delete(batch);
  }

  /** Whether the other batch was not tried more often, which keeps the longer backoff, and neither was put off by overload. */
  #waitsAlike(other: Batch, batch: Batch): boolean {
    const isApart = [batch, other].every((each) => this.#aside.get(each)?.isBusy === false);
    return isApart && other.tries <= batch.tries;
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
