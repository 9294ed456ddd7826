/**
 * The small HTTP server of resident helpers: access control by path, and status words for the kubelet.
 *
 *   request -> bounded-server (few connections, small requests) -> Route by its path -> Answer, as the connection's last
 */
import type { ListenAddress } from '../dial/address.ts';
import { listenBounded, type BoundedServer } from './bounded-server.ts';
import type { Answer, Exchange } from './exchange.ts';
import { isLocal } from './peer.ts';

export const NOT_FOUND: Answer = { status: 404, body: 'not found\n' };

/** The request, as a route receives it. */
export interface Request {
  readonly path: string;
  /** Whether the query is `?verbose`. */
  readonly isVerbose: boolean;
  /** The response to send instead of details; undefined if the client may see details. */
  readonly refusal: Answer | undefined;
}

/**
 * A handler of a path. A response is sent unchanged, for HEAD without its body; it must be fast, because it blocks the
 * event loop.
 * - public: for every client of the Pod. No details.
 * - inside: for clients within the Pod or through port-forward; 403 for others.
 * - raw: handles the whole exchange itself: method, access, end.
 */
export type Route =
  | { readonly kind: 'public' | 'inside'; answer(request: Request): Answer }
  | { readonly kind: 'raw'; handle(exchange: Exchange, request: Request): void };

/** Routes by path. A path that ends with a slash, except for '/', matches all paths below it. */
export type Routes = Readonly<Record<string, Route>>;

/** Which clients may see details. */
export interface Inside {
  /** Whether every client that can connect to the Pod may see details. */
  readonly statusPublic: boolean;
  /** If false, no client may see details, because any user of the node can connect over loopback. */
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
 * Serves these paths, and 404 for others.
 * @param inside selects the clients that may see details
 * @param signal ends the lookup of the address
 * @throws as listenBounded()
 */
export async function serveRoutes(
  at: ListenAddress,
  routes: Routes,
  { statusPublic, hostNetwork }: Inside,
  signal: AbortSignal,
): Promise<BoundedServer> {
  const refusalFor = (exchange: Exchange) => {
    if (statusPublic) return undefined;
    if (hostNetwork) return ON_NODE;
    return isLocal(exchange) ? undefined : OUTSIDE;
  };
  const answer = (exchange: Exchange) => {
    const { method, target } = exchange;
    const mark = target.indexOf('?');
    const path = mark === -1 ? target : target.slice(0, mark);
    const route = routeOf(routes, path);
    const isVerbose = mark !== -1 && VERBOSE.test(target.slice(mark + 1));
    const request: Request = { path, isVerbose, refusal: refusalFor(exchange) };
    if (route?.kind === 'raw') return route.handle(exchange, request);
    if (route === undefined || !['GET', 'HEAD'].includes(method)) return exchange.respond(NOT_FOUND);
    const refusal = route.kind === 'inside' ? request.refusal : undefined;
    return exchange.respond(refusal ?? route.answer(request));
  };
  return await listenBounded(at, answer, signal);
}

const VERBOSE = /(?:^|&)verbose(?:[=&]|$)/;

function routeOf(routes: Routes, path: string): Route | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  const below = Object.keys(routes).find((each) => each.length > 1 && each.endsWith('/') && path.startsWith(each));
  return below === undefined ? undefined : routes[below];
}

/** The health state that a path reports. */
export interface Health {
  /** 200 or 503. */
  readonly isOk: boolean;
  /**
   * The whole body without a line break. It is a status word and never a detail, because every client of the Pod can
   * read it.
   */
  readonly word: string;
}

/** A route with a status word, which every client of the Pod may read. */
export function healthRoute(health: () => Health): Route {
  return { kind: 'public', answer: () => healthAnswer(health()) };
}

/** A response with a status word. */
export function healthAnswer({ isOk, word }: Health): Answer {
  return { status: isOk ? 200 : 503, body: `${word}\n` };
}
