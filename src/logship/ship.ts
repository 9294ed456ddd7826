import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { formatDuration } from '../cli/duration.ts';
import { ExitCode, SignalError } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { pause } from '../platform/backoff.ts';
import { Batcher, weightOf } from './batch.ts';
import { Budget } from './budget.ts';
import type { CheckpointWriter } from './checkpoint.ts';
import type { Contents } from './contents.ts';
import type { Counts } from './counts.ts';
import type { DeadLetters } from './dead-letter.ts';
import { deliver } from './deliver.ts';
import type { LineSource } from './follow.ts';
import { Outage } from './outage.ts';
import { Outbox } from './outbox.ts';
import type { Sink } from './sink/sink.ts';
import type { TakeLine } from './tail.ts';

export interface Parts {
  readonly lines: LineSource;
  readonly contents: Contents;
  readonly sink: Sink;
  readonly checkpoint: CheckpointWriter;
  readonly deadLetters: DeadLetters;
  readonly counts: Counts;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** What is said of a server that takes nothing; of its own unless somebody else wants to know it too. */
  readonly outage?: Outage;
}

export interface ShipOptions {
  readonly indexPrefix: string;
  readonly inFlightBytes: number;
  /** Ends when everything that is there is in. */
  readonly once: boolean;
  readonly graceMs: number;
}

const POLL_MS = 250;
const CHECKPOINT_MS = 1000;

/**
 * Ships until stopped, or once to the end of what is there. A stop reads to the end, waits for what is on its way as
 * long as the grace allows, and writes the checkpoint.
 * @returns 0 when all that was read is in. Rejects with the stop's reason when something was left to the next start.
 */
export async function ship(parts: Parts, options: ShipOptions): Promise<ExitCode> {
  const { signal } = parts;
  const shipping = new Shipping(parts, options);
  await shipping.follow();
  await shipping.drain();
  if (signal.aborted && shipping.isBehind) throw signal.reason as Error;
  return ExitCode.ok;
}

class Shipping {
  readonly #parts: Parts;
  readonly #options: ShipOptions;
  readonly #batcher: Batcher;
  readonly #budget: Budget;
  readonly #outbox: Outbox;
  /** Aborted when waiting for the server must end: by the grace, or because sending has failed for good. */
  readonly #end = new AbortController();
  #failure: unknown;
  #isDirty = false;
  #checkpointMs: number;
  #generationsSaved = 0;

  constructor(parts: Parts, options: ShipOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#batcher = new Batcher(options.indexPrefix);
    this.#budget = new Budget(options.inFlightBytes);
    this.#checkpointMs = parts.now();
    const { sink, counts, deadLetters, log, now, signal } = parts;
    const { outage = new Outage(sink.name, log, now) } = parts;
    const settled: Parameters<typeof deliver>[1]['settled'] = (document) => {
      this.#budget.give(weightOf(document));
      if (document.segment.progress.settle(document.segment)) this.#isDirty = true;
    };
    const context = { sink, counts, deadLetters, outage, log, settled, stopping: signal, signal: this.#end.signal };
    this.#outbox = new Outbox(
      async (batch) => {
        await this.#saveGenerations();
        await deliver(batch, context);
      },
      (error) => this.#fail(error),
    );
  }

  /** Whether files hold bytes that are not acknowledged. */
  get isBehind(): boolean {
    return this.#parts.lines.left > 0;
  }

  /** Until a stop, or with `once` to the end. */
  async follow(): Promise<void> {
    const { lines, signal } = this.#parts;
    while (!signal.aborted && !this.#end.signal.aborted) {
      lines.look();
      const hasMore = await lines.read(this.#take, { final: false, pace: () => this.#pace(signal) });
      if (!hasMore && this.#outbox.isFree) this.#flush();
      await this.#saveWhenDue();
      if (hasMore) continue;
      if (this.#options.once) return;
      await pause(POLL_MS, AbortSignal.any([signal, this.#end.signal])).catch(ignoreAbort);
    }
  }

  /** Reads what is left, unfinished lines too, and waits until it is in or the grace is over. */
  async drain(): Promise<void> {
    const { lines, signal, log, counts } = this.#parts;
    using _ = this.#armGrace();
    if (signal.aborted && !(signal.reason instanceof SignalError)) this.#end.abort(signal.reason);
    lines.look();
    const pace = () => this.#pace(this.#end.signal);
    while (await lines.read(this.#take, { final: true, pace }));
    this.#flush();
    await this.#outbox.idle();
    await this.#save();
    const { left } = lines;
    log.info('stopped', { ...counts, leftBytes: left });
    if (left > 0) log.warn(`${left} bytes are not acknowledged: the next start goes on there`);
    if (signal.aborted && !(signal.reason instanceof SignalError)) throw signal.reason as Error;
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  readonly #take: TakeLine = (content, line, offset, next, skipping) => {
    const { counts } = this.#parts;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    const parsed = content.parser.parse(line.toString('utf8', 0, end), content.timeMs);
    content.timeMs = parsed.timeMs;
    const document = this.#batcher.add(content, parsed, offset, { offset: next, skipping, timeMs: parsed.timeMs });
    this.#budget.take(weightOf(document));
    counts.lines++;
    if (this.#batcher.isFull) this.#flush();
  };

  /** Lets requests and signals run between chunks, and waits for room. Whether to go on reading. */
  async #pace(signal: AbortSignal): Promise<boolean> {
    await yieldToOthers();
    await this.#saveWhenDue();
    await this.#budget.room(AbortSignal.any([signal, this.#end.signal]));
    return !signal.aborted && !this.#end.signal.aborted;
  }

  #flush(): void {
    if (!this.#batcher.isEmpty) this.#outbox.offer(this.#batcher.seal());
  }

  #fail(error: unknown): void {
    if (!this.#end.signal.aborted) this.#failure = error;
    this.#end.abort(error);
  }

  /** From the stop on, which may be past or still to come. */
  #armGrace(): Disposable {
    const { log, signal } = this.#parts;
    const { graceMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const arm = () => {
      timer = setTimeout(() => {
        log.warn(`the grace of ${formatDuration(graceMs)} is over`);
        this.#end.abort(new Error('the grace is over'));
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

  /** The time of undated lines lies in a generation's entry: it must be there before any of them is in the index. */
  async #saveGenerations(): Promise<void> {
    if (this.#generationsSaved < this.#parts.contents.begun) await this.#save();
  }

  async #saveWhenDue(): Promise<void> {
    if (this.#isDirty && this.#parts.now() - this.#checkpointMs >= CHECKPOINT_MS) await this.#save();
  }

  async #save(): Promise<void> {
    const { checkpoint, contents, now } = this.#parts;
    this.#checkpointMs = now();
    this.#isDirty = false;
    const { begun } = contents;
    if (await checkpoint.save(() => contents.collect())) this.#generationsSaved = begun;
    else this.#isDirty = true;
  }
}

const CARRIAGE_RETURN = 13;

function ignoreAbort(): void {
  // The loop looks at its signals.
}
