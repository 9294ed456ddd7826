import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenAddress } from '../address.ts';
import { listenBounded, type BoundedServer } from './bounded-server.ts';
import { NOT_FOUND, respond } from './respond.ts';

/** What one path answers. */
export interface Health {
  /** 200 or 503. */
  readonly isOk: boolean;
  /** The whole body, without a line break: a status word, never a detail. The port is open to whoever reaches the pod. */
  readonly word: string;
}

/** By path, `/livez`; asked at each request, so it must be cheap. */
export type HealthPaths = Readonly<Record<string, () => Health>>;

export type HealthServer = BoundedServer;

/**
 * Answers GET and HEAD on these paths, and everything else with 404, one request a connection.
 * @throws as listenBounded() does
 */
export async function serveHealth(at: ListenAddress, paths: HealthPaths): Promise<HealthServer> {
  return await listenBounded(at, (request, response) => answer(paths, request, response));
}

function answer(paths: HealthPaths, { method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = url.split('?');
  const isKnown = (method === 'GET' || method === 'HEAD') && Object.hasOwn(paths, path);
  const health = isKnown ? paths[path]?.() : undefined;
  respond(response, health === undefined ? NOT_FOUND : healthAnswer(health));
}

/** A status word as an answer. */
export function healthAnswer({ isOk, word }: Health): { readonly status: number; readonly body: string } {
  return { status: isOk ? 200 : 503, body: `${word}\n` };
}
