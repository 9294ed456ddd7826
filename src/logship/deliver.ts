import { messageOf } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { backoffMs, pause } from '../platform/backoff.ts';
import type { Counts } from './counts.ts';
import type { DeadLetters } from './dead-letter.ts';
import type { Document } from './document.ts';
import type { Outage } from './outage.ts';
import type { Sink, Verdict } from './sink/sink.ts';

export interface DeliverOptions {
  readonly sink: Sink;
  readonly counts: Counts;
  readonly deadLetters: DeadLetters;
  readonly outage: Outage;
  readonly log: Log;
  /** It is in, was in, or lies in the dead-letter file. */
  readonly settled: (document: Document) => void;
  /** Asked to stop: no long pauses any more. */
  readonly stopping: AbortSignal;
  /** Gives up at once. */
  readonly signal: AbortSignal;
}

const BACKOFF = { minMs: 200, maxMs: 10_000 };
const LAST_BACKOFF = { minMs: 200, maxMs: 1000 };

/**
 * Brings a batch in, for as long as it takes: only what failed is sent again, with pauses that grow. What the server
 * refuses for good goes to the dead-letter file. Rejects when the signal is aborted, or when no repetition can help.
 */
export async function deliver(batch: readonly Document[], options: DeliverOptions): Promise<void> {
  let documents = batch;
  let attempt = 0;
  for (;;) {
    const before = documents.length;
    documents = await deliverOnce(documents, options);
    if (documents.length === 0) return;
    attempt = documents.length < before ? 0 : attempt + 1;
    await rest(attempt, options);
    options.counts.retried += documents.length;
  }
}

/** One try. Returns what must be sent again. */
async function deliverOnce(documents: readonly Document[], options: DeliverOptions): Promise<readonly Document[]> {
  const { sink, counts, outage, settled, signal } = options;
  const answer = await sink.send(documents, signal);
  switch (answer.is) {
    case 'held':
      outage.held(answer.reason);
      return documents;
    case 'too large':
      return await deliverHalves(documents, options);
    case 'all in':
      counts.acknowledged += documents.length;
      outage.over();
      for (const document of documents) settled(document);
      return [];
    case 'each':
      return await settleEach(documents, answer.verdicts, options);
  }
}

async function settleEach(
  documents: readonly Document[],
  verdicts: readonly Verdict[],
  options: DeliverOptions,
): Promise<readonly Document[]> {
  const again: Document[] = [];
  let heldFor: string | undefined;
  for (const [i, document] of documents.entries()) {
    const verdict = verdicts[i] ?? { is: 'again', reason: 'the reply is too short' };
    const held = await settleOne(document, verdict, options);
    if (held === undefined) continue;
    again.push(document);
    heldFor = held;
  }
  if (heldFor === undefined || again.length < documents.length) options.outage.over();
  else options.outage.held(heldFor);
  return again;
}

/** The reason why the document must be sent again, or undefined when it is settled. */
async function settleOne(
  document: Document,
  verdict: Verdict,
  { counts, settled, deadLetters, log }: DeliverOptions,
): Promise<string | undefined> {
  if (verdict.is === 'again') return verdict.reason;
  if (verdict.is === 'in') counts.acknowledged++;
  if (verdict.is === 'already') counts.already++;
  if (verdict.is === 'refused') {
    try {
      await deadLetters.write(document, verdict.reason);
    } catch (error) {
      return `refused (${verdict.reason}), and ${deadLetters.file} can't take it: ${messageOf(error)}`;
    }
    if (counts.rejected === 0)
      log.warn(`the server refuses a line for good: ${verdict.reason}; such lines go to ${deadLetters.file}`);
    counts.rejected++;
  }
  settled(document);
  return undefined;
}

/** For a server, or a proxy before it, that takes only smaller requests. */
async function deliverHalves(documents: readonly Document[], options: DeliverOptions): Promise<readonly Document[]> {
  const [only] = documents;
  if (documents.length === 1 && only !== undefined) {
    return await settleEach([only], [{ is: 'refused', reason: 'status 413: larger than the server takes' }], options);
  }
  const middle = documents.length >> 1;
  const first = await deliverOnce(documents.slice(0, middle), options);
  const second = await deliverOnce(documents.slice(middle), options);
  return [...first, ...second];
}

async function rest(attempt: number, { stopping, signal }: DeliverOptions): Promise<void> {
  if (stopping.aborted) return await pause(backoffMs(attempt, LAST_BACKOFF), signal);
  try {
    await pause(backoffMs(attempt, BACKOFF), AbortSignal.any([stopping, signal]));
  } catch {
    signal.throwIfAborted(); // a stop only cuts the pause short
  }
}
