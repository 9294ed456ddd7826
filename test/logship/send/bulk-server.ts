import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenHttp } from '../../support/server.ts';

export interface BulkServer extends AsyncDisposable {
  readonly url: URL;
  /** The IDs that were indexed. */
  readonly taken: string[];
  /** The IDs in each request. */
  readonly requests: string[][];
}

export interface BulkAnswers {
  /** Status of a whole request, by its number from 1; the default is 200. */
  readonly request?: (number: number, ids: readonly string[]) => number;
  /** Status of a document; the default is 201. */
  readonly document?: (id: string, number: number) => number | { status: number; error: object };
}

/** A server that answers bulk requests as scripted and records the indexed ids; on a free port by default. */
export async function bulkServer(answers: BulkAnswers = {}, port = 0): Promise<BulkServer> {
  const taken: string[] = [];
  const isTaken = new Set<string>();
  const requests: string[][] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const ids = [...(await text(request)).matchAll(/^\{"create":\{"_index":"[^"]+","_id":"([^"]+)"/gm)].map(
      ([, id = '']) => id,
    );
    const number = requests.push(ids);
    const whole = answers.request?.(number, ids) ?? 200;
    if (whole !== 200) return void response.writeHead(whole).end('{"error":{"type":"t","reason":"whole"}}');
    const items = ids.map((id) => ({ create: itemOf(id, number) }));
    const errors = items.some(({ create }) => create.status >= 300);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ errors, items }));
  };
  const itemOf = (id: string, number: number) => {
    const told = isTaken.has(id) ? 409 : (answers.document?.(id, number) ?? 201);
    if (typeof told !== 'number') return told;
    if (told === 201) {
      taken.push(id);
      isTaken.add(id);
    }
    return told < 300 ? { status: told } : { status: told, error: { type: 't', reason: `no ${id}` } };
  };
  const server = await listenHttp((request, response) => void answer(request, response), port);
  return {
    url: new URL(`http://127.0.0.1:${server.port}`),
    taken,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
