/**
 * A server that implements `_bulk` like Elasticsearch and OpenSearch, with injected faults and counters, in a separate
 * process, so that its CPU time is not its client's.
 *
 *   await using sink = await startBulkSink();          sink.url for --url
 *   await sink.set({ p429: 0.05 });                     faults, replaced by the next `set`
 *   await sink.set({});                                 healthy again
 *   const { documents, conflicts } = await sink.counts();
 *   const { missing, doubled } = await sink.numbers(20_000);    which of `seq=0` to `seq=19999` are missing or
 *   duplicated
 *
 * As in the real servers, a `create` of an existing id is a 409, an `index` of one overwrites, and a document without
 * an id is always new; the index comes from the action's `_index` or the path; gzip; `filter_path` or the full reply.
 * An incomplete request has no effect. Other paths answer like a healthy, empty server. Only HTTP, counts and faults
 * are modelled: mappings and queries need a real server.
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
  /** The port; by default a free one. */
  readonly port?: number;
  /** The seed of the random faults; the default is 1. */
  readonly seed?: number;
  /** Counts documents only, for benchmarks: there are no IDs, numbers or faults per document. */
  readonly fast?: boolean;
  /** A certificate for 127.0.0.1, in PEM: then it listens on `tlsPort` too. */
  readonly tls?: { readonly key: string; readonly certificate: string };
}

export interface BulkSink extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The port for TLS. */
  readonly tlsPort: number | undefined;
  readonly pid: number;
  /** Replaces all faults with these. */
  set(faults: Faults): Promise<void>;
  counts(): Promise<Counts>;
  /** Which numbers from `seq=0` to `seq=N-1` no accepted document has, and which numbers several have. */
  numbers(count: number): Promise<Numbers>;
  /** The indexed documents in order of arrival: the `_source` as sent, with `_index` and `_id`. */
  documents(): Promise<readonly StoredDocument[]>;
  /** Removes all documents and counts; faults stay. */
  reset(): Promise<void>;
}

export interface StoredDocument {
  readonly _index: string;
  readonly _id: string | undefined;
  readonly _source: Readonly<Record<string, unknown>>;
}

/** Starts a sink; resolves when it listens. It exits with this process, however this exits. */
export async function startBulkSink(options: BulkSinkOptions = {}): Promise<BulkSink> {
  const running = await start(...tied(process.execPath, [SERVER, JSON.stringify(options)]), { keepOutput: true });
  const { stdout, stderr } = running.child;
  let said = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const up = once(createInterface(stdout!), 'line').then(([line]) => String(line).split(' ').map(Number));
  const [port = 0, tlsPort] = await Promise.race([
    up,
    running.ended.then((code) => {
      throw new Error(`the bulk sink exited with ${code}: ${said}`);
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
    tlsPort,
    pid: running.pid,
    set: async (faults) => void (await ask('faults', faults)),
    counts: async () => (await ask('counts')) as Counts,
    numbers: async (count) => (await ask(`numbers?count=${count}`)) as Numbers,
    documents: async () => (await ask('documents')) as StoredDocument[],
    reset: async () => void (await ask('reset', {})),
    [Symbol.asyncDispose]: async () => void (await running.stop(0)),
  };
}
