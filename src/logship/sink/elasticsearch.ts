import { BULK_PATH, readBulkReply } from './bulk.ts';
import { NoAnswerError, Server, type ServerOptions, type ServerParts } from './server.ts';
import type { Answer, Sink } from './sink.ts';

/** Where documents lie at a server: in an index a day (`flog-2026.11.20`), or in a data stream. */
export type Target = { readonly indexPrefix: string } | { readonly dataStream: string };

export interface ElasticsearchOptions extends ServerOptions {
  readonly target: Target;
}

/** Elasticsearch 8 and 9, OpenSearch 2 and 3. `create`, so that what is in already is told and not written twice. */
export function elasticsearchSink(options: ElasticsearchOptions, parts: ServerParts): Sink {
  const { target } = options;
  const server = new Server(options, parts);
  const hint = (status: number) => hintFor(status, target);
  let isMade = 'indexPrefix' in target;
  return {
    name: server.name,
    opening: (day) => `{"create":{"_index":"${indexOf(target, day)}","_id":"`,
    async send({ body, count }, signal) {
      try {
        if (!isMade && 'dataStream' in target) {
          const refusal = await makeDataStream(server, target.dataStream, signal);
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
 * Asked for by name, so that a missing template is said: a bulk request would make a plain index of that name, in which
 * a data stream's life cycle does not hold.
 */
async function makeDataStream(server: Server, name: string, signal: AbortSignal): Promise<Answer | undefined> {
  const { status, body } = await server.ask(
    { method: 'PUT', path: `/_data_stream/${encodeURIComponent(name)}` },
    signal,
  );
  const text = body.toString();
  // Who may write into it need not be one who may make it.
  if (status === 200 || status === 403 || text.includes('resource_already_exists_exception')) return undefined;
  const answer = readBulkReply(status, body, 0, (is) => hintFor(is, { dataStream: name }));
  if (answer.is !== 'held') return { is: 'held', reason: `no data stream ${name}: status ${status}` };
  const fix = /no matching index template|no matching template/.test(text)
    ? '; kolla-log-ship setup makes the template'
    : '';
  return { is: 'held', reason: `no data stream ${name}: ${answer.reason}${fix}` };
}

/** What to do about a status. */
function hintFor(status: number, target: Target): string {
  const where = 'dataStream' in target ? target.dataStream : `${target.indexPrefix}*`;
  if (status === 401) return '; see --user and --password-file, or --api-key-file';
  if (status === 403) return `; the user needs create_doc and auto_configure on ${where}, if no index is blocked`;
  if (status === 404) return `; does --url lead to the server itself, and may ${where} be created?`;
  return '';
}
