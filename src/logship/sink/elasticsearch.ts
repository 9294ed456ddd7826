import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../cli/errors.ts';
import { bulkBody, BULK_PATH, readBulkReply } from './bulk.ts';
import type { Sink } from './sink.ts';

export interface ElasticsearchOptions {
  /** For messages: elasticsearch or opensearch. */
  readonly kind: string;
  readonly url: URL;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** PEM file; the authorities to trust instead of the well-known ones. */
  readonly caFile: string | undefined;
}

/** A bulk that takes longer is asked again; its ids tell what was in. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Elasticsearch 8 and 9, OpenSearch 2 and 3, through one client. */
export async function elasticsearchSink(options: ElasticsearchOptions): Promise<Sink> {
  const { kind, url, user, password = '', caFile } = options;
  const { AnyServerTransport, Client } = await import('./client.ts');
  const client = new Client({
    node: url.href,
    Transport: AnyServerTransport,
    maxRetries: 0,
    ...(user === undefined ? {} : { auth: { username: user, password } }),
    ...(caFile === undefined ? {} : { tls: { ca: readFileSync(caFile) } }),
  });
  return {
    name: `${kind} at ${url.origin}`,
    async send(documents, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
      const request = { method: 'POST', path: BULK_PATH, bulkBody: bulkBody(documents) };
      try {
        const reply = await client.transport.request<Readable>(request, { asStream: true, meta: true, signal: limit });
        return readBulkReply(reply.statusCode ?? 0, await text(reply.body), documents.length);
      } catch (error) {
        signal.throwIfAborted();
        const reason = limit.aborted ? `no answer in ${REQUEST_TIMEOUT_MS / 1000} s` : messageOf(error);
        return { is: 'held', reason };
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
