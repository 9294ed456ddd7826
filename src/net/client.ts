/**
 * The HTTP client for TLS, proxies, keep-alive and streams, on Node's http and https (docs/adr/0011). A plain GET of
 * http:// needs none of it: see codec.
 *
 *   send():     one request, with the response read as needed, within its timeouts
 *   exchange(): the same with the full response; the basis of json.ts
 */
import { request as requestHttp, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { defined } from '../core/defined.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** Path to send instead of the URL's own, which is normalized. */
  readonly path?: string;
  /** The default is GET. */
  readonly method?: string | undefined;
  /** Content-Length is set from the length of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  /**
   * An agent with keep-alive. By default each request has a new connection, because a kept one may lead to a server
   * that no longer exists.
   */
  readonly agent?: Agent | undefined;
  /** Options of Node's http for TLS, DNS, login and a proxy's tunnel. */
  readonly connection?: Pick<
    RequestOptions,
    'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized' | 'auth' | 'lookup' | 'timeout'
  >;
  /**
   * Whether the request is idempotent. The server may close a kept connection just as it is used; an idempotent request
   * is then sent again.
   */
  readonly isRepeatable?: boolean;
  /** Connect timeout. If there is none, answerMs also limits the time in the agent's queue and for connecting. */
  readonly connectMs?: number;
  /** Timeout of the response, as far as it is read. */
  readonly answerMs?: number;
  /** TCP keepalive interval. By default the kernel notices a dead connection only after a quarter of an hour. */
  readonly keepAliveMs?: number;
  /** Called with the connection. */
  readonly onSocket?: (socket: Socket) => void;
}

/** A full response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Maximum number of retries because the peer has closed a kept connection. */
const STALE_CONNECTIONS = 3;
const BODY_MAX_BYTES = 16 * 2 ** 20;

/**
 * Sends a request and reads its response, whatever its status. Timeouts apply until `read` is done, the signal as long
 * as the connection is in use.
 * @param read called with the headers; may return the response itself to read a stream
 * @throws the system's error if there is no response, or the signal's reason
 */
export async function send<T>(request: HttpRequest, read: (response: IncomingMessage) => T | Promise<T>): Promise<T> {
  for (let stale = 0; ; stale++) {
    request.signal.throwIfAborted();
    const tried = attempt(request, read);
    try {
      return await tried.result;
    } catch (error) {
      request.signal.throwIfAborted();
      if (!request.isRepeatable || !isStale(tried.sent, error) || stale === STALE_CONNECTIONS) throw error;
    }
  }
}

/**
 * One request and its full response.
 * @throws as send(), and for a response of more than 16 MiB or a truncated one
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  return await send(request, async (response) => ({
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await bodyOf(response),
  }));
}

function isStale({ reusedSocket }: ClientRequest, error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

function attempt<T>(call: HttpRequest, read: (response: IncomingMessage) => T | Promise<T>) {
  const { url, path, signal, method, headers, body, agent = false, connectMs, answerMs, keepAliveMs } = call;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    ...call.connection,
    agent,
    ...defined({ method, path }),
    headers: { 'user-agent': 'kolla-pod', ...(agent === false ? { connection: 'close' } : {}), ...headers, ...length },
  });
  let timer: NodeJS.Timeout | undefined;
  const limit = (ms: number | undefined, what: string) => {
    clearTimeout(timer);
    if (ms !== undefined) timer = setTimeout(() => sent.destroy(new Error(`${what} in ${ms / 1000} s`)), ms);
  };
  const answerDue = () => limit(answerMs, 'no response');
  limit(connectMs, 'no connection');
  sent.once('socket', (socket) => {
    call.onSocket?.(socket);
    if (keepAliveMs !== undefined) socket.setKeepAlive(true, keepAliveMs);
    if (connectMs !== undefined && socket.connecting) socket.once('connect', answerDue);
    else answerDue();
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const abort = () => {
    sent.destroy(signal.reason as Error);
    // A request that waits for an agent's connection emits no event until it has one.
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', abort, { once: true });
  sent.once('close', () => signal.removeEventListener('abort', abort));
  let answer: IncomingMessage | undefined;
  sent.once('response', (response) => {
    answer = response;
    // The reader gets the error. An error before reading must not crash the process.
    response.on('error', () => {});
    resolve(response);
  });
  // The listener stays, because an error may follow the response.
  sent.on('error', reject);
  sent.end(body);
  const result = promise.then(read).finally(() => {
    clearTimeout(timer);
    // After an early response, such as 413, the memory of the body must not be read any more.
    if (!sent.writableFinished && answer?.complete !== false) sent.destroy();
  });
  return { sent, result };
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Error(`an answer of more than ${BODY_MAX_BYTES} bytes`);
  }
  if (!response.complete) throw new Error('the response is incomplete');
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
