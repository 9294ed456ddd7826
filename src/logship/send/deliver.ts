import { formatDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Counts } from '../report/counts.ts';
import type { Span } from '../position/progress.ts';
import type { Sink, DocumentOutcome } from '../sink/sink.ts';
import { earliest, joined, range, type Batch } from '../batch/batch.ts';
import type { DeadLetters } from './dead-letter.ts';
import { LEAST_REQUEST_BYTES, type Capacity } from '../batch/limits.ts';

export interface DeliverOptions {
  readonly sink: Sink;
  readonly counts: Counts;
  readonly deadLetters: DeadLetters;
  readonly outage: Outage;
  readonly capacity: Capacity;
  /** Called when documents of these spans are indexed, were already indexed, or are in the dead-letter file. */
  readonly settled: (spans: readonly Span[], documents: number) => void;
  /** Aborts the request immediately. */
  readonly signal: AbortSignal;
}

export interface Delivered {
  /** Documents to send again: the same batch, if the result of all of them is unknown. */
  readonly again?: Batch | undefined;
  /** Set if the server accepted nothing and all documents wait. */
  readonly tookNothing: boolean;
  /** Set if documents wait because the server is overloaded. */
  readonly isBusy?: boolean;
}

const ALL_DONE: Delivered = { tookNothing: false };

/**
 * Sends a batch once. Rejected documents go to the dead-letter file; those to retry are returned. Rejects when the
 * signal is aborted, or on a permanent failure.
 */
export async function deliver(batch: Batch, options: DeliverOptions): Promise<Delivered> {
  const { sink, counts, outage, capacity, signal } = options;
  if (batch.count > 1 && capacity.isTooMuch(batch.body.length)) return await deliverHalves(batch, options);
  if (batch.tries++ > 0) counts.retried += batch.count;
  counts.requests++;
  const answer = await sink.send(batch, signal);
  switch (answer.is) {
    case 'held':
      if (answer.because !== undefined) capacity.busy();
      if (answer.because === 'busy') outage.busy(answer.reason);
      else outage.held(answer.reason);
      return { again: batch, tookNothing: true };
    case 'too large':
      capacity.tooLong(batch.body.length);
      if (batch.count > 1) return await deliverHalves(batch, options);
      if (batch.body.length >= LEAST_REQUEST_BYTES) return await settleEach(batch, [TOO_LARGE], options);
      outage.held(`status 413 for ${batch.body.length} bytes: raise the request size limit of the server or proxy`);
      return { again: batch, tookNothing: true };
    case 'all in':
      counts.acknowledged += batch.count;
      outage.over();
      capacity.taken();
      for (const { spans, count } of batch.places) options.settled(spans, count);
      return ALL_DONE;
    case 'each':
      return await settleEach(batch, answer.verdicts, options);
  }
}

const TOO_LARGE: DocumentOutcome = {
  is: 'refused',
  reason: 'status 413: larger than the server accepts',
  cause: '413',
};

/** For a server or proxy with a lower limit on requests. */
async function deliverHalves(batch: Batch, options: DeliverOptions): Promise<Delivered> {
  const middle = batch.count >> 1;
  const halves = [batch.part(0, middle), batch.part(middle, batch.count)] as const;
  // Meanwhile a checkpoint sees only the whole.
  batch.indexGeneration ??= options.sink.indexGeneration;
  const first = await deliver(halves[0], options);
  // The other half would fail as well, so both are retried as one request.
  if (first.again === halves[0]) {
    batch.indexGeneration = earliest(halves);
    return { again: batch, tookNothing: true };
  }
  const second = await deliver(halves[1], options);
  const tookNothing = first.tookNothing && second.tookNothing;
  const isBusy = first.isBusy === true || second.isBusy === true;
  // The half shares memory that may be reused, so the bytes that wait are copied.
  const rest = second.again === halves[1] ? halves[1].pick(range(halves[1])) : second.again;
  if (first.again === undefined || rest === undefined) return { again: first.again ?? rest, tookNothing, isBusy };
  return { again: joined(first.again, rest), tookNothing, isBusy };
}

async function settleEach(
  batch: Batch,
  verdicts: readonly DocumentOutcome[],
  options: DeliverOptions,
): Promise<Delivered> {
  const { counts, outage, capacity, settled } = options;
  const again: number[] = [];
  const refused: Refused[] = [];
  let reason = '';
  let isBusy = false;
  for (let at = 0; at < batch.count; at++) {
    const verdict = verdicts[at] ?? { is: 'again', reason: 'the reply is too short' };
    if (verdict.is === 'refused') {
      refused.push({ at, reason: verdict.reason, cause: verdict.cause });
      continue;
    }
    if (verdict.is === 'again' || verdict.is === 'busy') {
      isBusy ||= verdict.is === 'busy';
      again.push(at);
      reason = verdict.reason;
      continue;
    }
    if (verdict.is === 'in') counts.acknowledged++;
    else counts.already++;
    settled(batch.spans(at), 1);
  }
  const unwritten = await bury(batch, refused, options);
  if (unwritten !== undefined) {
    again.push(...refused.map(({ at }) => at));
    reason = unwritten;
  }
  if (isBusy) capacity.busy();
  else capacity.taken();
  const tookNothing = again.length === batch.count;
  if (tookNothing && isBusy) outage.busy(reason);
  else if (tookNothing) outage.stuck(reason);
  else outage.over();
  if (again.length === 0) return ALL_DONE;
  if (!tookNothing || batch.tries > 1) outage.someWait(again.length, reason);
  return { again: batch.pick(again.toSorted((a, b) => a - b)), tookNothing, isBusy };
}

interface Refused {
  readonly at: number;
  readonly reason: string;
  readonly cause: string;
}

/** Writes rejected documents to the dead-letter file. If that fails, it returns why, and they are sent again. */
async function bury(
  batch: Batch,
  refused: readonly Refused[],
  { counts, deadLetters, settled }: DeliverOptions,
): Promise<string | undefined> {
  const [first] = refused;
  if (first === undefined) return undefined;
  try {
    await deadLetters.write(refused.map(({ at, ...why }) => ({ document: batch.document(at), ...why })));
  } catch (error) {
    return `rejected (${first.reason}), and cannot be written to ${deadLetters.file}: ${messageOf(error)}`;
  }
  counts.rejected += refused.length;
  for (const { at } of refused) settled(batch.spans(at), 1);
  return undefined;
}

const REPEAT_MS = 30_000;
const BUSY_MS = 5000;

/**
 * Logs that the server does not accept writes: when it starts, when the reason changes, every 30 s, and when it ends.
 */
export class Outage {
  readonly #name: string;
  readonly #log: Log;
  readonly #now: () => number;
  #sinceMs: number | undefined;
  #saidMs = 0;
  #reason = '';
  #stuckInARow = 0;
  #busySinceMs: number | undefined;
  #someSaidMs = -Infinity;

  /** @param name the server's name */
  constructor(name: string, log: Log, now: () => number) {
    this.#name = name;
    this.#log = log;
    this.#now = now;
  }

  /** Called when a whole request was rejected or got no response. */
  held(reason: string): void {
    const now = this.#now();
    this.#sinceMs ??= now;
    if (reason === this.#reason && Math.abs(now - this.#saidMs) < REPEAT_MS) return;
    this.#reason = reason;
    this.#saidMs = now;
    const since = now - this.#sinceMs < 1000 ? {} : { since: formatDuration(now - this.#sinceMs) };
    this.#log.warn(`${this.#name} does not accept writes, lines wait in their files: ${reason}`, since);
  }

  /**
   * Called when the server is overloaded. Only a lasting overload is an outage, since a full queue is usually worked
   * off soon.
   */
  busy(reason: string): void {
    this.#busySinceMs ??= this.#now();
    if (Math.abs(this.#now() - this.#busySinceMs) >= BUSY_MS) this.held(reason);
  }

  /**
   * Called when no document of a request was accepted. A single such request is no outage, because it may contain only
   * documents of a closed index.
   */
  stuck(reason: string): void {
    if (++this.#stuckInARow > 1) this.held(reason);
  }

  /** Called when some documents wait while others are accepted. */
  someWait(documents: number, reason: string): void {
    const now = this.#now();
    if (now - this.#someSaidMs < REPEAT_MS) return;
    this.#someSaidMs = now;
    this.#log.info(`${documents} documents of a request are sent again: ${reason}`);
  }

  /** The reason for the outage and when it started; undefined without an outage. */
  get current(): { readonly reason: string; readonly sinceMs: number } | undefined {
    return this.#sinceMs === undefined ? undefined : { reason: this.#reason, sinceMs: this.#sinceMs };
  }

  over(): void {
    this.#stuckInARow = 0;
    this.#busySinceMs = undefined;
    if (this.#sinceMs === undefined) return;
    this.#log.info(`${this.#name} accepts writes again`, { after: formatDuration(this.#now() - this.#sinceMs) });
    this.#sinceMs = undefined;
    this.#reason = '';
  }
}
