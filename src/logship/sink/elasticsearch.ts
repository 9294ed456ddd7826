import type { Batch } from '../batch/batch.ts';
import { BackingIndices } from './backing-indices.ts';
import { BULK_FIELDS, readBulkReply, type BulkReply } from './bulk-reply.ts';
import { NoAnswerError, Server, type ServerOptions, type ServerParts } from './server.ts';
import type { Answer, Sink } from './sink.ts';

/** The target on a server: one index per day (`flog-2026.11.20`), or a data stream. */
export type Target = { readonly indexPrefix: string } | { readonly dataStream: string };

export interface ElasticsearchOptions extends ServerOptions {
  readonly target: Target;
}

/** Elasticsearch 8 and 9, OpenSearch 2 and 3. Uses `create`, so that duplicates are reported and not written twice. */
export function elasticsearchSink(options: ElasticsearchOptions, parts: ServerParts): Sink {
  const { kind, target } = options;
  const server = new Server(options, parts);
  const hint = (status: number) => hintFor(status, kind, target);
  const opening = (day: string) => `{"create":{"_index":"${indexOf(target, day)}","_id":"`;
  const bulk = async ({ body, count }: Batch, isOnce: boolean, signal: AbortSignal): Promise<BulkReply> => {
    const path = isOnce ? `${BULK_PATH},items.*._index` : BULK_PATH;
    const asked = { method: 'POST', path, body, contentType: 'application/x-ndjson', isOnce };
    const reply = await server.ask(asked, signal);
    return readBulkReply(reply.status, reply.body, count, hint);
  };
  const common = {
    name: server.name,
    opening,
    [Symbol.asyncDispose]() {
      server[Symbol.dispose]();
      return Promise.resolve();
    },
  };
  if ('indexPrefix' in target)
    return {
      ...common,
      send: (batch, signal) => orHeld(async () => (await bulk(batch, false, signal)).answer),
    };
  const indices = new BackingIndices(server, target.dataStream, opening(''), parts.log);
  let isMade = false;
  const attempt = async (batch: Batch, signal: AbortSignal): Promise<Answer> => {
    if (!isMade) {
      const refusal = await makeDataStream(server, kind, target.dataStream, signal);
      if (refusal !== undefined) return refusal;
      isMade = true;
    }
    return await indices.send(batch, (rest) => bulk(rest, true, signal), signal);
  };
  return {
    ...common,
    get indexGeneration() {
      return indices.indexGeneration;
    },
    async send(batch, signal) {
      // As for other requests, a host that does not respond, or a kept connection that the server has closed just as it
      // was used, is made up for at once.
      for (let tries = 1; ; tries++) {
        const answer = await orHeld(() => attempt(batch, signal));
        const most = Math.max(answer.is === 'held' && answer.because === 'cut' ? 2 : 1, options.urls.length);
        if (answer.is !== 'held' || batch.indexGeneration === undefined || tries >= most) return answer;
      }
    },
  };
}

async function orHeld(attempt: () => Promise<Answer>): Promise<Answer> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof NoAnswerError)
      return { is: 'held', reason: error.message, because: error.isCut ? 'cut' : undefined };
    throw error;
  }
}

function indexOf(target: Target, day: string): string {
  return 'dataStream' in target ? target.dataStream : target.indexPrefix + day.replaceAll('-', '.');
}

/**
 * Creates the data stream by name, so that a missing template is reported: a bulk request would create a plain index of
 * that name, without the data stream's lifecycle.
 */
async function makeDataStream(
  server: Server,
  kind: ServerOptions['kind'],
  name: string,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { status, body } = await server.ask(
    { method: 'PUT', path: `/_data_stream/${encodeURIComponent(name)}` },
    signal,
  );
  const text = body.toString();
  // Permission to write does not imply permission to create the data stream.
  if (status === 403 || text.includes('resource_already_exists_exception')) return undefined;
  // Another server, too, may answer 200.
  if (status === 200 && /"acknowledged" *: *true/.test(text)) return undefined;
  const { answer } = readBulkReply(status, body, -1, (is) => hintFor(is, kind, { dataStream: name }));
  if (answer.is !== 'held') return { is: 'held', reason: `no data stream ${name}: status ${status}` };
  const fix = /no matching index template|no matching template/.test(text)
    ? '; kolla-log-ship setup makes the template'
    : '';
  return { is: 'held', reason: `no data stream ${name}: ${answer.reason}${fix}` };
}

const PRIVILEGES = {
  elasticsearch: 'create_doc and auto_configure',
  opensearch: 'cluster_composite_ops, and write and create_index',
} as const;

/** The fix for a response status. */
function hintFor(status: number, kind: ServerOptions['kind'], target: Target): string {
  const where = 'dataStream' in target ? target.dataStream : `${target.indexPrefix}*`;
  if (status === 401) return '; see --user and --password-file, or --api-key-file';
  if (status === 403) return `; the user needs ${PRIVILEGES[kind]} on ${where}, if no index is blocked`;
  if (status === 404) return `; does --url lead to the server itself, and may ${where} be created?`;
  return '';
}

/** Missing shards are handled by retries instead of keeping a request open for a minute. */
const BULK_PATH = `/_bulk?timeout=15s&filter_path=${BULK_FIELDS}`;
