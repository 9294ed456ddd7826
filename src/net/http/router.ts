/**
 * The one small HTTP server of all that stays resident: who may see what by path, and status words for the kubelet.
 *
 *   request -> bounded-server (few connections, small requests) -> Route by its path -> Answer, as the connection's last
 */
import type { ListenAddress } from '../address.ts';
import { listenBounded, type BoundedServer } from './bounded-server.ts';
import type { Answer, Exchange } from './exchange.ts';
import { isLocal } from './peer.ts';

export const NOT_FOUND: Answer = { status: 404, body: 'not found\n' };

/** What a route is told of the request. */
export interface Request {
  readonly path: string;
  /** `?verbose` */
  readonly isVerbose: boolean;
  /** What it gets instead of more than a status word; undefined: it may see more. */
  readonly refusal: Answer | undefined;
}

/**
 * What answers a path. An answer is sent as it is, to HEAD without its body; it must be cheap, since the event loop waits for it.
 * - public: to everybody who reaches the pod. No detail.
 * - inside: to who is in the pod or comes by port-forward; 403 to others.
 * - raw: looks after the whole exchange itself: its method, who may ask, its end.
 */
export type Route =
  | { readonly kind: 'public' | 'inside'; answer(request: Request): Answer }
  | { readonly kind: 'raw'; handle(exchange: Exchange, request: Request): void };

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
  const refusalFor = (exchange: Exchange) => {
    if (statusPublic) return undefined;
    if (hostNetwork) return ON_NODE;
    return isLocal(exchange) ? undefined : OUTSIDE;
  };
  return await listenBounded(at, (exchange) => {
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
  });
}

const VERBOSE = /(?:^|&)verbose(?:[=&]|$)/;

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
