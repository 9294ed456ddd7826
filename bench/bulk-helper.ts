/**
 * `node bench/bulk-helper.ts URL FILE PREFIX [stay]`: ships the lines of a file as raw documents by the bulk helper of
 * `@elastic/elasticsearch`, as an application would: no rotation, no checkpoint. The documents are those of
 * `kolla-log-ship --schema raw`, apart from their ids. With `stay` it waits to be stopped, so that its CPU time can be read.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Client } from '@elastic/elasticsearch';

/** As kolla-log-ship's: ADR 11. */
const FLUSH_BYTES = 1024 * 1024;
const CONCURRENCY = 2;
/** The client's own 30 s pass on a busy machine, and its documents would count as rejected. */
const REQUEST_TIMEOUT_MS = 300_000;

interface RawDocument {
  readonly '@timestamp': string;
  readonly message: string;
  readonly 'log.file.path': string;
}

const [, , url = '', file = '', prefix = '', stay] = process.argv;
const client = new Client({ node: url, requestTimeout: REQUEST_TIMEOUT_MS });
let offset = 0;

async function* documents(): AsyncGenerator<RawDocument> {
  for await (const message of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const time = `${message.slice(0, 10)}T${message.slice(11, 23)}Z`;
    yield { '@timestamp': time, message, 'log.file.path': file };
  }
}

const { failed } = await client.helpers.bulk<RawDocument>({
  datasource: documents(),
  flushBytes: FLUSH_BYTES,
  concurrency: CONCURRENCY,
  onDocument(document) {
    const _id = `${file}-${offset}`;
    offset += Buffer.byteLength(document.message) + 1;
    return { create: { _index: `${prefix}-${document['@timestamp'].slice(0, 10).replaceAll('-', '.')}`, _id } };
  },
});
if (failed > 0) throw new Error(`${failed} documents were rejected`);
if (stay !== undefined) setInterval(() => {}, 2 ** 30);
