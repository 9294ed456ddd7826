/**
 * A server that answers `_bulk` as Elasticsearch and OpenSearch do, fails as it is told, and counts: a process of its own,
 * so that what it takes is not its client's.
 *
 *   await using sink = await startBulkSink();          sink.url for --url
 *   await sink.set({ p429: 0.05 });                     faults, each until the next `set`, which names all that shall be
 *   await sink.set({});                                 healthy again
 *   const { documents, conflicts } = await sink.counts();
 *   const { missing, doubled } = await sink.numbers(20_000);    which of `seq=0` to `seq=19999` lines are in never, or twice
 *
 * As the real ones: a `create` of an id that its index has is a 409, an `index` of one overwrites, a document without an id is a new
 * one each time; an action's own `_index`, or the path's; gzip; `filter_path` or the whole reply. A request that is not there
 * whole counts for nothing. Other paths answer as a healthy server without content. Its HTTP, counts and faults only: what a
 * real index does with a document is for a real one to show.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { start, tied } from '../../tools/process.ts';
import type { Counts, Numbers } from './bulk-sink/store.ts';
import type { Faults } from './bulk-sink/faults.ts';

export type { Counts as BulkCounts, Numbers as BulkNumbers } from './bulk-sink/store.ts';
export type { Faults as BulkFaults } from './bulk-sink/faults.ts';

const SERVER = fileURLToPath(new URL('bulk-sink/server.ts', import.meta.url));

export interface BulkSinkOptions {
  /** A free one unless given. */
  readonly port?: number;
  /** Of what happens by chance. Default 1. */
  readonly seed?: number;
  /** Counts documents and nothing else, for benches: no ids, no numbers, and no faults of single documents. */
  readonly fast?: boolean;
}

export interface BulkSink extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** These faults from now on, and no others. */
  set(faults: Faults): Promise<void>;
  counts(): Promise<Counts>;
  /** Of the lines with `seq=0` to `seq=N-1`: which no accepted document holds, and which more than one does. */
  numbers(count: number): Promise<Numbers>;
  /** The documents that are in, in the order they came: what was sent as `_source`, with `_index` and `_id`. */
  documents(): Promise<readonly StoredDocument[]>;
  /** Forgets all documents and counts; faults stay. */
  reset(): Promise<void>;
}

export interface StoredDocument {
  readonly _index: string;
  readonly _id: string | undefined;
  readonly _source: Readonly<Record<string, unknown>>;
}

/** Starts one; resolves when it listens. It ends with us, however we end. */
export async function startBulkSink(options: BulkSinkOptions = {}): Promise<BulkSink> {
  const running = await start(...tied(process.execPath, [SERVER, JSON.stringify(options)]), { keepOutput: true });
  const { stdout, stderr } = running.child;
  let said = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const up = once(createInterface(stdout!), 'line').then(([line]) => Number(line));
  const port = await Promise.race([
    up,
    running.ended.then((code) => {
      throw new Error(`the bulk sink ended with ${code}: ${said}`);
    }),
  ]);
  running.ended.catch(() => {});
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`${url}/__sink/${path}`, init);
    if (!reply.ok) throw new Error(`the bulk sink answers ${reply.status} to ${path}: ${await reply.text()}`);
    return await reply.json();
  };
  return {
    url,
    port,
    pid: running.pid,
    set: async (faults) => void (await ask('faults', faults)),
    counts: async () => (await ask('counts')) as Counts,
    numbers: async (count) => (await ask(`numbers?count=${count}`)) as Numbers,
    documents: async () => (await ask('documents')) as StoredDocument[],
    reset: async () => void (await ask('reset', {})),
    [Symbol.asyncDispose]: async () => void (await running.stop(0)),
  };
}
