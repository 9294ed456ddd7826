import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { formatDuration } from '../core/duration.ts';
import { ExitCode, SignalError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { DocumentWriter } from './bytes/document-writer.ts';
import type { SharedMemory } from './bytes/memory.ts';
import type { Counts } from './counts.ts';
import type { LogEvent } from './event/event.ts';
import { Framer } from './event/framer.ts';
import type { Contents } from './read/contents.ts';
import { documentId } from './read/generation.ts';
import type { LineSource } from './read/line-reader.ts';
import { Batcher, CAPACITY_BYTES, type Batch } from './send/batch.ts';
import type { DeadLetters } from './send/dead-letter.ts';
import { deliver, type Delivered, type DeliverOptions, type Outage } from './send/deliver.ts';
import { Budget, Capacity } from './send/limits.ts';
import { Outbox } from './send/outbox.ts';
import type { Sink } from './sink/sink.ts';
import type { CheckpointWriter } from './state/checkpoint.ts';
import { Keeper } from './state/keeper.ts';

interface Parts {
  readonly lines: LineSource;
  readonly contents: Contents;
  readonly sink: Sink;
  readonly checkpoint: CheckpointWriter;
  readonly deadLetters: DeadLetters;
  readonly counts: Counts;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly outage: Outage;
  readonly memory?: SharedMemory | undefined;
}

interface ShipOptions {
  /** Maximum number of bytes in memory. */
  readonly inFlightBytes: number;
  /** The part of inFlightBytes that the reader always uses. */
  readonly readBytes: number;
  /** Exits when all existing lines are acknowledged. */
  readonly once: boolean;
  readonly graceMs: number;
  /** An event ends after this time without a line. */
  readonly eventTimeoutMs: number;
}

const POLL_MS = 250;
/** Open events may use one part in this many of the budget. */
const HELD_SHARE = 4;
/** A request may use one part in this many of the budget: one is filled while two are in flight. */
const REQUESTS = 4;

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
  readonly #deliver: DeliverOptions;
  /** Aborted when waiting for the server must end: when the grace period is exceeded, or on a permanent failure. */
  readonly #end = new AbortController();
  /** Aborted with whichever of the two signals is first. */
  readonly #stopOrEnd: AbortSignal;
  #failure: unknown;

  constructor(parts: Parts, options: ShipOptions) {
    this.#parts = parts;
    this.#options = options;
    const { sink, counts, deadLetters, outage, log, now, signal, memory } = parts;
    const { inFlightBytes, readBytes, eventTimeoutMs: timeoutMs } = options;
    this.#capacity = new Capacity(Math.floor((inFlightBytes - readBytes) / REQUESTS), sink.atOnce);
    const { opening } = sink;
    const writer =
      memory === undefined || opening === undefined
        ? undefined
        : { lines: new DocumentWriter(memory, opening), buffer: memory.writeBuffer(CAPACITY_BYTES) };
    this.#batcher = new Batcher({ opening, capacity: this.#capacity, now, writer });
    this.#budget = new Budget(inFlightBytes, readBytes);
    this.#framer = new Framer({ emit: (event) => this.#emit(event), held: this.#budget, timeoutMs, now, memory });
    this.#keeper = new Keeper({ ...parts, cuts: () => this.#framer.cuts + parts.contents.lineCuts });
    this.#stopOrEnd = AbortSignal.any([signal, this.#end.signal]);
    const settled: DeliverOptions['settled'] = (spans) => {
      for (const span of spans) if (span.progress.settle(span)) this.#keeper.touch();
    };
    this.#deliver = {
      sink,
      counts,
      deadLetters,
      outage,
      log,
      settled,
      capacity: this.#capacity,
      signal: this.#end.signal,
    };
    const send = (batch: Batch) => this.#send(batch);
    const failed = (error: unknown) => this.#fail(error);
    const capacity = this.#capacity;
    this.#outbox = new Outbox({ send, failed, capacity, stopping: signal, signal: this.#end.signal });
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
    await this.#follow();
    await this.#drain();
    if (lines.left > 0) signal.throwIfAborted();
    return ExitCode.ok;
  }

  /** Ships until a stop, or with `once` to the end of the files. */
  async #follow(): Promise<void> {
    const { lines } = this.#parts;
    const pace = () => this.#pace(this.#stopOrEnd);
    while (!this.#stopOrEnd.aborted) {
      lines.look();
      const hasMore = await lines.read(this.#framer.take, { final: false, mayCut: this.#keeper.canSave, pace });
      // If cuts cannot be saved, none are made, and events wait for their next line.
      if (this.#keeper.canSave) this.#framer.sweep();
      if (!hasMore && this.#outbox.isFree) this.#flush();
      await this.#keeper.saveWhenDue();
      if (hasMore) continue;
      if (this.#options.once) return;
      await lines.changed(POLL_MS, this.#stopOrEnd).catch(ignoreAbort);
    }
  }

  /**
   * Reads the rest, including unterminated lines, and waits until it is acknowledged or the grace period is exceeded.
   */
  async #drain(): Promise<void> {
    const { lines, signal, log, counts } = this.#parts;
    const over = () => this.#end.abort(new Error('grace period exceeded'));
    using _ = armGrace(this.#options.graceMs, signal, log, over);
    if (signal.aborted && !(signal.reason instanceof SignalError)) this.#end.abort(signal.reason);
    lines.look();
    const pace = () => this.#pace(this.#end.signal);
    if (!this.#keeper.canSave) await this.#keeper.save();
    while (await lines.read(this.#framer.take, { final: true, mayCut: this.#keeper.canSave, pace }));
    if (!this.#keeper.canSave) await this.#keeper.save();
    // Events that cannot be cut are left for the next start, and so are unread lines.
    if (this.#keeper.canSave && !this.#end.signal.aborted) this.#framer.cut();
    this.#flush();
    await this.#outbox.idle();
    await this.#keeper.save();
    const { left } = lines;
    log.info('stopped', { ...counts, leftBytes: left });
    if (left > 0) log.warn(`${left} bytes are not acknowledged: the next start resumes there`);
    if (!(signal.reason instanceof SignalError)) signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  #emit(event: LogEvent): void {
    const { content, offset, spans } = event;
    let weight = this.#batcher.addLine(event);
    if (weight === 0) {
      const { source, day } = content.parser.parse(event);
      weight = this.#batcher.add({ id: documentId(content.generation, offset), day, source, spans });
    }
    this.#budget.take(weight);
    this.#parts.counts.lines += event.lines;
    this.#parts.counts.documents++;
    if (this.#batcher.isFull) this.#flush();
  }

  /**
   * Between chunks, yields to requests and signals, and waits until there is room. Returns whether reading continues.
   */
  async #pace(signal: AbortSignal): Promise<boolean> {
    this.#framer.keep();
    await yieldToOthers();
    await this.#keeper.saveWhenDue();
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
      await this.#keeper.saveWhenDue();
    }
  }

  #makeRoom(): void {
    // Documents that wait for a full request would wait forever, because nothing more is read. Open events would wait
    // too, but they are normally small, and each cut made here splits an event.
    if (this.#framer.heldBytes * HELD_SHARE > this.#options.inFlightBytes) this.#framer.relieve();
    this.#flush();
  }

  #flush(): void {
    if (!this.#batcher.isEmpty) this.#outbox.offer(this.#batcher.seal());
  }

  async #send(batch: Batch): Promise<Delivered> {
    await this.#keeper.beforeSending(this.#end.signal);
    const delivered = await deliver(batch, this.#deliver);
    const { again } = delivered;
    if (again === batch) return delivered;
    this.#budget.give(batch.weight - (again?.weight ?? 0));
    this.#batcher.recycle(batch);
    return delivered;
  }

  #fail(error: unknown): void {
    if (!this.#end.signal.aborted) this.#failure = error;
    this.#end.abort(error);
  }
}

function ignoreAbort(): void {
  // The loop checks its signals.
}

/**
 * Logs that the grace period after a stop is exceeded, and calls `over`.
 * @param signal the stop, which may be in the past
 */
function armGrace(graceMs: number, signal: AbortSignal, log: Log, over: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    timer = setTimeout(() => {
      log.warn(`grace period of ${formatDuration(graceMs)} exceeded`);
      over();
    }, graceMs);
  };
  if (signal.aborted) arm();
  else signal.addEventListener('abort', arm, { once: true });
  return {
    [Symbol.dispose]() {
      signal.removeEventListener('abort', arm);
      clearTimeout(timer);
    },
  };
}
