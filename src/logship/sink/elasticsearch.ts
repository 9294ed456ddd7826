import { oneLine } from '../../core/one-line.ts';
import { NoAnswerError, Server, type ServerOptions, type ServerParts } from './server.ts';
import type { Answer, Sink, Verdict } from './sink.ts';

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
  let isMade = 'indexPrefix' in target;
  return {
    name: server.name,
    opening: (day) => `{"create":{"_index":"${indexOf(target, day)}","_id":"`,
    async send({ body, count }, signal) {
      try {
        if (!isMade && 'dataStream' in target) {
          const refusal = await makeDataStream(server, kind, target.dataStream, signal);
          if (refusal !== undefined) return refusal;
          isMade = true;
        }
        const asked = { method: 'POST', path: BULK_PATH, body, contentType: 'application/x-ndjson' };
        const reply = await server.ask(asked, signal);
        return readBulkReply(reply.status, reply.body, count, hint);
      } catch (error) {
        if (error instanceof NoAnswerError)
          return { is: 'held', reason: error.message, because: error.isCut ? 'cut' : undefined };
        throw error;
      }
    },
    [Symbol.asyncDispose]() {
      server[Symbol.dispose]();
      return Promise.resolve();
    },
  };
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
  if (status === 200 || status === 403 || text.includes('resource_already_exists_exception')) return undefined;
  const answer = readBulkReply(status, body, 0, (is) => hintFor(is, kind, { dataStream: name }));
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

/**
 * Only the fields needed for verdicts: a full reply costs more to parse than the request to build. Missing shards are
 * handled by retries instead of keeping a request open for a minute.
 */
const BULK_PATH =
  '/_bulk?timeout=15s&filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by';

const ALL_IN = '{"errors":false';

interface Item {
  readonly status: number;
  readonly error?: {
    readonly type?: string;
    readonly reason?: string;
    readonly caused_by?: { readonly reason?: string };
  };
}

interface Reply {
  readonly items?: readonly { readonly create?: Item }[];
}

/**
 * Parses the server's reply to a bulk request.
 * @param body response body. If it is not a bulk reply, it came from another server, and all documents wait
 * @param hint the fix for a response status
 */
export function readBulkReply(
  status: number,
  body: Buffer,
  documents: number,
  hint: (status: number) => string = () => '',
): Answer {
  if (status === 413) return { is: 'too large' };
  if (status !== 200) {
    const reason = `status ${status}: ${reasonIn(body.toString())}${hint(status)}`;
    return { is: 'held', reason, because: status === 429 ? 'busy' : undefined };
  }
  // Fast path before parsing the items, which would double the cost of a batch.
  if (body.toString('latin1', 0, ALL_IN.length) === ALL_IN) return { is: 'all in' };
  const text = body.toString();
  const items = itemsIn(text);
  if (items.length !== documents) return { is: 'held', reason: `not a bulk reply: ${oneLine(text.slice(0, 200))}` };
  return { is: 'each', verdicts: items.map(({ create }) => verdictOf(create, hint)) };
}

function itemsIn(text: string): NonNullable<Reply['items']> {
  try {
    return (JSON.parse(text) as Reply | null)?.items ?? [];
  } catch {
    return []; // a proxy's page
  }
}

function verdictOf(item: Item | undefined, hint: (status: number) => string): Verdict {
  if (item === undefined) return { is: 'again', reason: 'the reply has no status for it' };
  const { status, error } = item;
  if (status === 201 || status === 200) return { is: 'in' };
  if (status === 409) return { is: 'already' };
  const cause = error?.caused_by?.reason === undefined ? '' : `: ${error.caused_by.reason}`;
  const reason = oneLine(`status ${status} ${error?.type ?? ''}: ${error?.reason ?? ''}${cause}`);
  if (status === 413) return { is: 'refused', reason };
  if (status === 400 && !isOfTheIndex(error)) return { is: 'refused', reason };
  return { is: status === 429 ? 'busy' : 'again', reason: reason + hint(status) };
}

/**
 * Whether the index and not the document is the problem, for an operator to fix: it is closed, or cannot be created
 * because of the cluster's shard limit, or its pipeline is missing.
 */
function isOfTheIndex({ type = '', reason = '' }: NonNullable<Item['error']> = {}): boolean {
  if (type === 'index_closed_exception' || type === 'invalid_index_name_exception') return true;
  if (type === 'validation_exception') return true;
  // Only from its start, because the end may be the text of the line.
  return /^Validation Failed: .* maximum (\w+ )?shards open|^pipeline with id \[.*\] does not exist/.test(reason);
}

function reasonIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { type?: string; reason?: string } | string };
    if (typeof error === 'string') return oneLine(error);
    if (error?.reason !== undefined) return oneLine(`${error.type}: ${error.reason}`);
  } catch {
    // The response is not JSON but a proxy's page, which is shown unchanged.
  }
  return oneLine(text.slice(0, 200)).trim() || 'no body';
}
