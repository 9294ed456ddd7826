import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { VERSION } from '../core/version.ts';
import type { Call } from './api.ts';
import type { Credentials } from './credentials.ts';
import { explainTls } from './tls-error.ts';

/** A Pod whose node lost the API server must notice: the kernel alone takes a quarter of an hour. */
const KEEPALIVE_MS = 10_000;

/** A pool of connections. */
export interface Pool {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** @param maxSockets that are in use at a time; others wait */
export function newPool(maxSockets: number): Pool {
  const options = { keepAlive: true, keepAliveMsecs: KEEPALIVE_MS, maxFreeSockets: 2, maxSockets };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

/** Closes the connections of a pool that nobody uses now. */
export function forget({ http, https }: Pool): void {
  for (const { freeSockets } of [http, https])
    for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/**
 * Sends one request and gives its answer, whatever its status, as soon as its headers are there. Rejects with the system's
 * error for no answer, within answerMs of having a connection, and with the signal's.
 */
export function exchange(
  credentials: Credentials,
  call: Call,
  pool: Pool,
  limits: { readonly signal: AbortSignal; readonly answerMs: number },
): Promise<IncomingMessage> {
  const { signal, answerMs } = limits;
  const { server, request: settings, proxy } = credentials;
  const { path, method = 'GET', accept = 'application/json' } = call;
  const isTls = server.protocol === 'https:';
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const options: RequestOptions = {
    ...settings,
    method,
    agent: proxy ?? (isTls ? pool.https : pool.http),
    signal,
    headers: {
      ...(settings.headers as OutgoingHttpHeaders),
      accept,
      'user-agent': `kolla-pod/${VERSION}`,
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    },
  };
  // A server behind a path is how Rancher and others hand out theirs.
  const url = new URL(server.pathname.replace(/\/$/, '') + path, server);
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(url, options);
    let late: NodeJS.Timeout | undefined;
    request.once('socket', (socket) => {
      socket.setKeepAlive(true, KEEPALIVE_MS);
      // Not before: until then it waits for its turn, behind others that have a limit of their own.
      late = setTimeout(() => request.destroy(new Error(`no answer in ${answerMs / 1000} s`)), answerMs);
    });
    request.once('response', (response) => {
      clearTimeout(late);
      // Who reads it is told; an error that comes before the reading must not end the process.
      response.on('error', () => {});
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      // The server may close a connection in the moment that we take it out of the pool.
      if (request.reusedSocket && error.code === 'ECONNRESET' && method === 'GET' && !signal.aborted) {
        forget(pool);
        resolve(exchange(credentials, call, pool, limits));
      } else reject(explainTls(error));
    });
    request.end(body);
  });
}
