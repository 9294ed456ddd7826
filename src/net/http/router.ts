/**
 * The one small HTTP server of all that stays resident: who may see what by path, and status words for the kubelet.
 *
 *   request -> bounded-server (few connections, small requests) -> Route by its path -> Answer, as the connection's last
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenAddress } from '../address.ts';
import { listenBounded, type BoundedServer } from './bounded-server.ts';
import { isLocal } from './peer.ts';

/** One whole answer. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Plain text unless said. */
  readonly type?: string;
}

export const NOT_FOUND: Answer = { status: 404, body: 'not found\n' };

/** Sends it, as the connection's last: whoever asks is a probe, which comes again on another. */
export function respond(response: ServerResponse, { status, body, type = 'text/plain; charset=utf-8' }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(body);
}

/** What a route is told of the request. */
export interface Request {
  readonly path: string;
  readonly query: URLSearchParams;
  /** What it gets instead of more than a status word; undefined: it may see more. */
  readonly refusal: Answer | undefined;
}

/**
 * What answers a path. An answer is sent as it is, to HEAD without its body; it must be cheap, since nobody waits for it.
 * - public: to everybody who reaches the pod. No detail.
 * - inside: to who is in the pod or comes by port-forward; 403 to others.
 * - raw: looks after the whole exchange itself: its method, who may ask, its end.
 */
export type Route =
  | { readonly kind: 'public' | 'inside'; answer(request: Request): Answer }
  | { readonly kind: 'raw'; handle(incoming: IncomingMessage, response: ServerResponse, request: Request): void };

/** By path; one that ends with a slash, but for '/', is for all paths below it. */
export type Routes = Readonly<Record<string, Route>>;

/** Who may see more than a status word. */
export interface Inside {
  /** Every client that reaches the pod. */
  readonly statusPublic: boolean;
  /** Otherwise no client: any user of the node can connect by loopback. */
  readonly hostNetwork: boolean;
}

const OUTSIDE: Answer = {
  status: 403,
  body: 'only from within the pod, or by kubectl port-forward: --status-public lets others\n',
};
const ON_NODE: Answer = {
  status: 403,
  body: "not shown: this pod has its node's network, where any user can connect. See the log and the Events, or set --status-public\n",
};

/**
 * Answers these paths, and others with 404.
 * @param inside who may look inside
 * @throws as listenBounded() does
 */
export async function serveRoutes(
  at: ListenAddress,
  routes: Routes,
  { statusPublic, hostNetwork }: Inside,
): Promise<BoundedServer> {
  const refusalFor = (incoming: IncomingMessage) => {
    if (statusPublic) return undefined;
    if (hostNetwork) return ON_NODE;
    return isLocal(incoming) ? undefined : OUTSIDE;
  };
  return await listenBounded(at, (incoming, response) => {
    const { method = '', url = '' } = incoming;
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const route = routeOf(routes, path);
    const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
    const request: Request = { path, query, refusal: refusalFor(incoming) };
    if (route?.kind === 'raw') return route.handle(incoming, response, request);
    if (route === undefined || !['GET', 'HEAD'].includes(method)) return respond(response, NOT_FOUND);
    const refusal = route.kind === 'inside' ? request.refusal : undefined;
    return respond(response, refusal ?? route.answer(request));
  });
}

function routeOf(routes: Routes, path: string): Route | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  const below = Object.keys(routes).find((each) => each.length > 1 && each.endsWith('/') && path.startsWith(each));
  return below === undefined ? undefined : routes[below];
}

/** What one path answers. */
export interface Health {
  /** 200 or 503. */
  readonly isOk: boolean;
  /** The whole body, without a line break: a status word, never a detail. The port is open to whoever reaches the pod. */
  readonly word: string;
}

/** A status word for everybody who reaches the pod. */
export function healthRoute(health: () => Health): Route {
  return { kind: 'public', answer: () => healthAnswer(health()) };
}

/** A status word as an answer. */
export function healthAnswer({ isOk, word }: Health): Answer {
  return { status: isOk ? 200 : 503, body: `${word}\n` };
}
