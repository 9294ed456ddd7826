import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenAddress } from '../address.ts';
import { listenBounded, type BoundedServer } from './bounded-server.ts';
import { isLocal } from './peer.ts';
import { NOT_FOUND, respond, type Answer } from './respond.ts';

/** One request, looked over. */
export interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whether it may see more than a status word. */
  readonly mayLookInside: boolean;
}

/**
 * What answers a path. An answer is sent as it is, to HEAD without its body; it must be cheap, since nobody waits for it.
 * - public: to everybody who reaches the pod. No detail.
 * - inside: to who is in the pod or comes by port-forward; 403 to others.
 * - raw: looks after the whole exchange itself: its method, who may ask, its end.
 */
export type Route =
  | { readonly kind: 'public' | 'inside'; answer(asked: Asked): Answer }
  | { readonly kind: 'raw'; handle(request: IncomingMessage, response: ServerResponse, asked: Asked): void };

/** By path; one that ends with a slash, but for '/', is for all paths below it. */
export type Routes = Readonly<Record<string, Route>>;

export const FORBIDDEN: Answer = {
  status: 403,
  body: 'only from within the pod, or by kubectl port-forward: --status-public lets others\n',
};

/**
 * Answers these paths, and others with 404.
 * @param isPublic whether everybody may look inside
 * @throws as listenBounded() does
 */
export async function serveRoutes(at: ListenAddress, routes: Routes, isPublic: boolean): Promise<BoundedServer> {
  return await listenBounded(at, (request, response) => {
    const { method = '', url = '' } = request;
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const route = routeOf(routes, path);
    const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
    const asked: Asked = { path, query, mayLookInside: isPublic || isLocal(request) };
    if (route?.kind === 'raw') return route.handle(request, response, asked);
    if (route === undefined || !['GET', 'HEAD'].includes(method)) return respond(response, NOT_FOUND);
    return respond(response, route.kind === 'inside' && !asked.mayLookInside ? FORBIDDEN : route.answer(asked));
  });
}

function routeOf(routes: Routes, path: string): Route | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  const folder = Object.keys(routes).find((each) => each.length > 1 && each.endsWith('/') && path.startsWith(each));
  return folder === undefined ? undefined : routes[folder];
}
