import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { newCounts, type Counts } from '../../../src/logship/report/counts.ts';
import { Progress, type Span } from '../../../src/logship/position/progress.ts';
import { Batch } from '../../../src/logship/batch/batch.ts';
import { DeadLetters } from '../../../src/logship/send/dead-letter.ts';
import { deliver, Outage } from '../../../src/logship/send/deliver.ts';
import { Aside } from '../../../src/logship/send/aside.ts';
import { Capacity } from '../../../src/logship/batch/limits.ts';
import { Outbox } from '../../../src/logship/send/outbox.ts';
import { elasticsearchSink } from '../../../src/logship/sink/elasticsearch.ts';
import type { Sink } from '../../../src/logship/sink/sink.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { log } from '../read/reading.ts';

/** A batch with one document per ID, each with a span that `nameOf` maps back to the ID. */
export function batch(...ids: string[]): Batch {
  const sent = ids.map((id) => Buffer.from(`{"create":{"_index":"i","_id":"${id}"}}\n{"Payload":"${id}"}\n`));
  const places = ids.map((id) => ({ spans: [spanOf(id)], count: 1 }));
  return new Batch(Buffer.concat(sent), { places, count: ids.length, linesEach: 2, sinceMs: 0 });
}

const NAMES = new WeakMap<Span, string>();

function spanOf(id: string): Span {
  const mark = { offset: 0, skipping: false, timeMs: 0 };
  const span = new Progress(mark).begin(0, mark);
  NAMES.set(span, id);
  return span;
}

interface Delivering extends AsyncDisposable {
  readonly counts: Counts;
  readonly settled: string[];
  readonly said: string[];
  readonly directory: string;
  readonly deadLetters: DeadLetters;
  readonly outage: Outage;
  readonly capacity: Capacity;
  readonly outbox: Outbox;
  /** Rejects with the error that has ended delivery, or with the signal's reason. */
  deliver(...batches: Batch[]): Promise<void>;
}

export function sinkAt(...urls: [URL, ...URL[]]): Sink {
  return sinkOf('elasticsearch', ...urls);
}

export function sinkOf(kind: 'elasticsearch' | 'opensearch', ...urls: [URL, ...URL[]]): Sink {
  const options = { kind, urls, target: { indexPrefix: 'flog-' }, login: undefined, tls: {} } as const;
  return elasticsearchSink(options, { log: log(), proxyEnv: {} });
}

/** Outbox and delivery to a sink, with the short backoff of a shutdown. */
export async function delivering(sink: Sink, { signal = new AbortController().signal } = {}): Promise<Delivering> {
  const directory = await privateDirectory('deliver');
  const counts = newCounts();
  const settled: string[] = [];
  const said: string[] = [];
  const deadLetters = new DeadLetters({
    directory: new StateDirectory(directory.path),
    name: 'dead-letter.jsonl',
    limit: 2 ** 20,
    log: log(said),
    now: () => new Date(0),
    onDropped: (letters) => (counts.lettersDropped += letters),
  });
  const outage = new Outage(sink.name, log(said), () => 0);
  const capacity = new Capacity();
  const options = { sink, counts, deadLetters, outage, capacity, log: log(said), signal };
  let failure: unknown;
  const outbox = new Outbox({
    send: (next) => deliver(next, { ...options, settled: (spans) => settled.push(...spans.map(nameOf)) }),
    failed: (error) => (failure = error),
    capacity,
    aside: new Aside(
      () => Infinity,
      () => {},
    ),
    stopping: AbortSignal.abort(),
    signal,
  });
  return {
    counts,
    settled,
    said,
    directory: directory.path,
    deadLetters,
    outage,
    capacity,
    outbox,
    async deliver(...batches) {
      for (const each of batches) outbox.offer(each);
      await outbox.idle();
      signal.throwIfAborted();
      if (failure !== undefined) throw failure as Error;
    },
    async [Symbol.asyncDispose]() {
      await sink[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function nameOf(span: Span): string {
  return NAMES.get(span) ?? '?';
}
