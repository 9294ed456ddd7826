import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { listenHttp } from '../../support/server.ts';

type Body = Record<string, unknown>;

export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** Stored resources, by path: `/_index_template/flog`. */
  readonly kept: Map<string, Body>;
  /** Requests that might change something. */
  readonly writes: string[];
  /** Resolves at the first request. */
  readonly asked: Promise<void>;
}

export interface StandInOptions {
  /** Optional features of the server. */
  readonly has: 'ilm' | 'ism' | 'neither';
  /** Status of every response, if not 200. */
  readonly status?: number;
  /** Another template for the same index names, with a higher priority. */
  readonly winner?: Body;
  /** How a write is answered with 200 without being done: by a proxy, or before all nodes have it. */
  readonly writes?: 'are lost' | 'are not confirmed';
  /** Whether it never responds. */
  readonly silent?: true;
}

/**
 * Stores templates and policies, and responds as documented: neither of the real servers on Maven Central has
 * lifecycle management. test/integration runs the rest of the setup on real servers.
 */
export async function standIn({ has, status = 200, winner, writes: kind, silent }: StandInOptions): Promise<StandIn> {
  const kept = new Map<string, Body>();
  const writes: string[] = [];
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const server = await listenHttp((request, response) => {
    isAsked();
    if (silent) return;
    void answer(request).then(
      ([code, body]) => send(response, code, body),
      (error: unknown) => send(response, 500, { error: String(error) }),
    );
  });
  const answer = async (request: IncomingMessage): Promise<[number, object]> => {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?');
    if (status !== 200) return [status, { error: { type: 'security_exception', reason: 'not you' } }];
    if (path.includes('/_simulate_index/')) return [200, { template: simulated(await text(request), kept, winner) }];
    const [, known] = /^\/(_index_template|_ilm\/policy|_plugins\/_ism\/policies)\//.exec(path) ?? [];
    const isThere =
      known === '_index_template' || known?.startsWith({ ilm: '_ilm', ism: '_plugins', neither: '-' }[has]);
    if (isThere !== true) return [400, { error: `no handler found for uri [${url}] and method [${method}]` }];
    if (method === 'PUT') {
      writes.push(url);
      if (kind === 'are lost') return [200, { ok: true }];
      kept.set(path, (await json(request)) as Body);
      return [200, { acknowledged: kind === undefined }];
    }
    const body = kept.get(path);
    return body === undefined ? [404, { error: { reason: 'not there' } }] : [200, shown(path, body)];
  };
  return {
    url: `http://127.0.0.1:${server.port}`,
    kept,
    writes,
    asked,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A stored resource, as a GET returns it. */
function shown(path: string, body: Body): object {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (path.startsWith('/_ilm/')) return { [name]: { version: 1, modified_date: '2026-11-21T00:00:00.000Z', ...body } };
  if (path.startsWith('/_plugins/')) return { _id: name, _version: 3, _seq_no: 7, _primary_term: 2, ...body };
  return { index_templates: [{ name, index_template: { composed_of: [], ...body } }] };
}

/** The template that applies: `winner`, else the one in the request, else the stored one. */
function simulated(tried: string, kept: ReadonlyMap<string, Body>, winner?: Body): unknown {
  if (winner !== undefined) return winner;
  const template = tried === '' ? [...kept.values()].find((body) => 'template' in body) : (JSON.parse(tried) as Body);
  return template?.['template'];
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
