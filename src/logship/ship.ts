import { formatDuration } from '../core/duration.ts';
import { DeadlineError, ExitCode, SignalError } from '../core/errors.ts';
import { nextTurn } from '../core/next-turn.ts';
import { Framer } from './event/framer.ts';
import { armGrace, armTimeout } from './grace.ts';
import { Aside } from './send/aside.ts';
import { Filling } from './send/filling.ts';
import { earliest, type Batch } from './batch/batch.ts';
import { Batcher } from './batch/batcher.ts';
import { deliver, type Delivered, type DeliverOptions } from './send/deliver.ts';
import { Budget, Capacity } from './batch/limits.ts';
import { Outbox } from './send/outbox.ts';
import type { Parts, ShipOptions } from './ship-options.ts';
import { Keeper } from './read/keeper.ts';

const POLL_MS = 250;
/** Open events may use one part in this many of the budget. */
const HELD_SHARE = 4;
/**
 * A request may use one part in this many of the budget. When the documents that wait separately reach their share, up to six
 * more requests of the same file may be in flight, queued and being filled, each with a quarter more than its bytes: together
 * they leave memory for other files.
 */
const REQUESTS = 14;

/** Documents that wait separately may use one part in this many of the budget. */
const ASIDE_SHARE = 3;

/** The path of lines from files to one destination. */
export class Shipping {
  readonly #parts: Parts;
  readonly #options: ShipOptions;
  readonly #capacity: Capacity;
  readonly #batcher: Batcher;
  readonly #budget: Budget;
  readonly #framer: Framer;
  readonly #keeper: Keeper;
  readonly #outbox: Outbox;
  readonly #aside: Aside;
  readonly #deliver: DeliverOptions;
  /** Aborted when waiting for the server must end: when the grace period is exceeded, or on a permanent failure. */
  readonly #end = new AbortController();
  /** Aborted with whichever of the two signals is first. */
  readonly #stopOrEnd: AbortSignal;
  #failure: unknown;
  /** Called when the server has accepted documents. */
  #accepted = (): void => {};
  /** As in the options, if the target has generations. */
  readonly #earlier: number | undefined;

  constructor(parts: Parts, options: ShipOptions) {
    this.#parts = parts;
    this.#options = options;
    const { sink, counts, deadLetters, outage, now, signal } = parts;
    const { inFlightBytes, readBytes, maxLineBytes, eventTimeoutMs: timeoutMs } = options;
    this.#earlier = sink.indexGeneration === undefined ? undefined : options.indexGeneration;
    this.#capacity = new Capacity(Math.floor((inFlightBytes() - readBytes) / REQUESTS), sink.atOnce);
    this.#batcher = new Batcher({ opening: sink.opening, capacity: this.#capacity, now });
    this.#budget = new Budget(inFlightBytes, readBytes);
    const { emit, bulk } = new Filling({
      batcher: this.#batcher,
      budget: this.#budget,
      counts,
      maxLineBytes,
      earlier: this.#earlier,
      flush: () => this.#flush(),
      hasRoom: () => this.#hasRoom,
    });
    this.#framer = new Framer({ emit, bulk, held: this.#budget, timeoutMs, now });
    const indexGeneration = () => this.#indexGeneration;
    const failed = (error: unknown) => this.#fail(error);
    const cuts = () => this.#framer.cuts + parts.contents.lineCuts;
    this.#keeper = new Keeper({ ...parts, failed, cuts, indexGeneration });
    this.#stopOrEnd = AbortSignal.any([signal, this.#end.signal]);
    const settled: DeliverOptions['settled'] = (spans, events) => {
      for (const span of spans) if (span.progress.settle(span, events)) this.#keeper.touch();
    };
    this.#deliver = {
      sink,
      counts,
      deadLetters,
      outage,
      settled,
      capacity: this.#capacity,
      signal: this.#end.signal,
    };
    const send = (batch: Batch) => this.#send(batch);
    const capacity = this.#capacity;
    const held = 'documents that the server rejects temporarily fill their part of memory: their files are not read on';
    this.#aside = new Aside(
      () => (inFlightBytes() - readBytes) / ASIDE_SHARE,
      () => parts.log.warn(held),
    );
    const { signal: end } = this.#end;
    this.#outbox = new Outbox({ send, failed, capacity, aside: this.#aside, stopping: signal, signal: end });
  }

  /** Number of bytes that the budget counts. */
  get memoryBytes(): number {
    return this.#budget.used;
  }

  /** Number of documents that wait separately, because the server accepts others but not them. */
  get waiting(): number {
    return this.#outbox.waiting;
  }

  /** Number of documents that are neither settled nor in flight. It must be 0. */
  get dropped(): number {
    // After the end, these documents are left for the next start.
    if (this.#end.signal.aborted) return 0;
    const { documents, acknowledged, already, rejected } = this.#parts.counts;
    const left = documents - acknowledged - already - rejected;
    // A request that is being settled counts as a whole.
    return Math.max(0, left - this.#batcher.documents - this.#outbox.documents);
  }

  /** When the oldest unacknowledged line was read, in milliseconds since the epoch; undefined if there is none. */
  get sinceMs(): number | undefined {
    return this.#outbox.sinceMs ?? this.#batcher.sinceMs;
  }

  /** When the checkpoint last covered everything acknowledged, in milliseconds since the epoch. */
  get savedMs(): number {
    return this.#keeper.savedMs;
  }

  /**
   * Ships until stopped, or with `once` to the end of the existing lines. On a stop it reads to the end, waits for
   * requests in flight within the grace period, and writes the checkpoint.
   * @returns 0 when everything read was acknowledged. Rejects with the stop's reason if lines are left for the next
   * start.
   */
  async run(): Promise<ExitCode> {
    const { signal, lines } = this.#parts;
    using timeout = armTimeout(this.#options.timeoutMs, (ms) => this.#fail(this.#timedOut(ms)));
    this.#accepted = () => timeout.restart();
    await this.#follow();
    await this.#drain();
    if (lines.left > 0) signal.throwIfAborted();
    return ExitCode.ok;
  }

  /** Ships until a stop, or with `once` to the end of the files. */
  async #follow(): Promise<void> {
    const { lines, contents } = this.#parts;
    const pace = () => this.#pace(this.#stopOrEnd);
    while (!this.#stopOrEnd.aborted) {
      lines.look();
      const hasMore = await this.#read(false, pace);
      // If cuts cannot be saved, none are made, and events wait for their next line.
      if (this.#keeper.canSave) this.#framer.sweep();
      if (!hasMore) contents.caughtUp();
      if (!hasMore && this.#outbox.isFree) this.#flush();
      this.#keeper.saveWhenDue();
      if (hasMore) continue;
      this.#batcher.rest();
      if (this.#options.once && !this.#aside.isHolding) return;
      await lines.changed(POLL_MS, this.#stopOrEnd).catch(ignoreAbort);
    }
  }

  /**
   * Reads the rest, including unterminated lines, and waits until it is acknowledged or the grace period is exceeded.
   */
  async #drain(): Promise<void> {
    const { lines, signal, log, counts } = this.#parts;
    const over = () => this.#end.abort(new Error('grace period exceeded'));
    using _ = armGrace(this.#options.graceMs, signal, log, { over, awaited: () => this.#awaited });
    if (signal.aborted && !(signal.reason instanceof SignalError)) this.#end.abort(signal.reason);
    lines.look(true);
    const pace = () => this.#pace(this.#end.signal);
    do {
      if (!this.#keeper.canSave) await this.#keeper.save();
      while (await this.#read(true, pace));
      if (!this.#keeper.canSave) await this.#keeper.save();
      // Events that cannot be cut are left for the next start, and so are unread lines.
      if (this.#keeper.canSave && !this.#end.signal.aborted && !this.#aside.isHolding) this.#framer.cut();
      this.#flush();
      await this.#outbox.idle();
    } while (this.#aside.isHolding && !this.#end.signal.aborted);
    await this.#keeper.save();
    const { left } = lines;
    log.info('stopped', { ...counts, leftBytes: left });
    if (left > 0) log.warn(`${left} bytes are not acknowledged: the next start resumes there`);
    if (!(signal.reason instanceof SignalError)) signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  /** Reads one chunk of each file that has more and whose documents are accepted. */
  #read(final: boolean, pace: () => Promise<boolean>): Promise<boolean> {
    this.#aside.begin();
    const mayCut = this.#keeper.canSave;
    const isStalled = this.#parts.outage.current !== undefined;
    return this.#parts.lines.read(this.#framer.take, { final, mayCut, pace, isHeld: this.#aside.holds, isStalled });
  }

  /** The earliest generation of the target that may have lines after the checkpoint's positions. */
  get #indexGeneration(): number | undefined {
    const { sink, contents } = this.#parts;
    if (sink.indexGeneration === undefined) return undefined;
    const earlier = contents.mayBeSent ? this.#earlier : undefined;
    return earliest([
      { indexGeneration: sink.indexGeneration },
      { indexGeneration: earlier },
      this.#batcher,
      this.#outbox,
    ]);
  }

  /**
   * Between chunks, yields to requests and signals, and waits until there is room. Returns whether reading continues.
   */
  async #pace(signal: AbortSignal): Promise<boolean> {
    await nextTurn();
    this.#keeper.saveWhenDue();
    if (!this.#hasRoom) await this.#waitForRoom(signal);
    return !signal.aborted;
  }

  get #hasRoom(): boolean {
    return this.#outbox.hasRoom && !this.#budget.isSpent;
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    if (this.#budget.isSpent) this.#makeRoom();
    while (!this.#hasRoom && !signal.aborted) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(POLL_MS)]);
      await (this.#budget.isSpent ? this.#budget : this.#outbox).room(limit);
      // A file that was rotated meanwhile must be opened before it is deleted.
      this.#parts.lines.look();
      this.#keeper.saveWhenDue();
    }
  }

  #makeRoom(): void {
    // Documents that wait for a full request would wait forever, because nothing more is read. Open events would wait
    // too, but they are normally small, and each cut made here splits an event.
    if (this.#framer.heldBytes * HELD_SHARE > this.#options.inFlightBytes()) this.#framer.relieve();
    this.#flush();
  }

  /** Returns whether there was anything to send. */
  #flush(): boolean {
    if (this.#batcher.isEmpty) return false;
    this.#outbox.offer(this.#batcher.seal());
    return true;
  }

  async #send(batch: Batch): Promise<Delivered> {
    await this.#keeper.beforeSending(this.#end.signal);
    const delivered = await deliver(batch, this.#deliver);
    const { again } = delivered;
    if (again === batch) return delivered;
    if ((again?.count ?? 0) < batch.count) this.#accepted();
    this.#budget.give(batch.weight - (again?.weight ?? 0));
    this.#keeper.acknowledged(batch.body.length - (again?.body.length ?? 0));
    this.#batcher.recycle(batch);
    return delivered;
  }

  /** What a stop waits for; undefined if it is nothing. */
  get #awaited(): string | undefined {
    const { lines, sink } = this.#parts;
    const { left } = lines;
    return left === 0 ? undefined : `${sink.name} to accept ${left} bytes${this.#because}`;
  }

  #timedOut(ms: number): DeadlineError {
    const { lines, sink } = this.#parts;
    const what = `${sink.name} has accepted nothing for ${formatDuration(ms)} (--timeout)${this.#because}`;
    return new DeadlineError(`${what}; ${lines.left} bytes are left, and the next run resumes there`);
  }

  /** Why lines wait, as the end of a sentence. */
  get #because(): string {
    const reason = this.#parts.outage.current?.reason;
    if (reason !== undefined) return `: ${reason}`;
    if (!this.#keeper.canSave) return ': the checkpoint cannot be saved';
    return this.waiting > 0 ? `: it rejects ${this.waiting} documents temporarily` : '';
  }

  #fail(error: unknown): void {
    if (!this.#end.signal.aborted) this.#failure = error;
    this.#end.abort(error);
  }
}

function ignoreAbort(): void {
  // The loop checks its signals.
}
