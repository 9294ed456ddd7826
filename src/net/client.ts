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
import { codeOf } from '../core/errors.ts';
import { defined } from '../core/defined.ts';
import { DialingHttpAgent, DialingHttpsAgent, type ProxyOption } from './agents.ts';
import { bufferOf } from './bounded-body.ts';
import { proxyLogin } from './proxy.ts';
import { ResolveError } from './resolver/error.ts';
import { ResponseTooLargeError } from './dial/too-large.ts';

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
   * An agent with keep-alive, from agents.ts. By default each request has a new connection, because a kept one may lead
   * to a server that no longer exists.
   */
  readonly agent?: Agent | undefined;
  /** The proxy through which the request is sent, with one of our agents. */
  readonly proxy?: URL | undefined;
  /** Options of Node's http for TLS and login. */
  readonly connection?: Pick<
    RequestOptions,
    'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized' | 'auth' | 'timeout'
  >;
  /**
   * Whether the request is idempotent. The server may close a kept connection just as it is used; an idempotent request
   * is then sent again.
   */
  readonly isRepeatable?: boolean;
  /** Timeout of the response on an open connection, as far as it is read. */
  readonly answerMs?: number;
  /** TCP keepalive interval. By default the kernel notices a dead connection only after a quarter of an hour. */
  readonly keepAliveMs?: number;
  /** Called with the connection when it is open. */
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
/** Node's limit. */
const HEAD_MAX_BYTES = 16_384;
/** Maximum size of a full response. */
export const BODY_MAX_BYTES = 16 * 2 ** 20;

/**
 * Sends a request and reads its response, whatever its status. Timeouts apply until `read` is done, the signal as long
 * as the connection is in use.
 * @param read called with the headers; may return the response itself to read a stream
 * @throws the system's error if there is no response, or the signal's reason; as dial()
 */
export async function send<T>(request: HttpRequest, read: (response: IncomingMessage) => T | Promise<T>): Promise<T> {
  for (let stale = 0; ; stale++) {
    request.signal.throwIfAborted();
    const tried = attempt(request, read);
    try {
      return await tried.result;
    } catch (error) {
      if (error instanceof ResolveError) throw error;
      if (codeOf(error) === 'HPE_HEADER_OVERFLOW')
        throw new ResponseTooLargeError(HEAD_MAX_BYTES, 'a response head', { cause: error });
      request.signal.throwIfAborted();
      if (!request.isRepeatable || !isStale(tried.sent, error) || stale === STALE_CONNECTIONS) throw error;
    }
  }
}

/**
 * One request and its full response.
 * @throws as send(); ResponseTooLargeError for a body of more than 16 MiB, and an Error for a truncated response
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  return await send(request, async (response) => ({
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await bufferOf(response, BODY_MAX_BYTES),
  }));
}

function isStale({ reusedSocket }: ClientRequest, error: unknown): boolean {
  const code = codeOf(error);
  return reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

function attempt<T>(call: HttpRequest, read: (response: IncomingMessage) => T | Promise<T>) {
  const { url, signal, method, headers, body, answerMs, keepAliveMs, proxy } = call;
  const isTls = url.protocol === 'https:';
  const own = call.agent === undefined ? new (isTls ? DialingHttpsAgent : DialingHttpAgent)() : undefined;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  // Of a proxy for http:// the server is requested with its whole URL (RFC 9112, 3.2.2).
  const isWhole = proxy !== undefined && !isTls;
  const path = isWhole ? url.origin + (call.path ?? url.pathname + url.search) : call.path;
  const options: ProxyOption = defined({ proxy });
  const sent = (isTls ? requestHttps : requestHttp)(url, {
    ...call.connection,
    ...options,
    ...defined({ method, path, agent: call.agent ?? own }),
    headers: {
      'user-agent': 'kolla-pod',
      ...(own === undefined ? {} : { connection: 'close' }),
      ...headers,
      ...length,
      ...(isWhole ? proxyLogin(proxy) : {}),
    },
  });
  let timer: NodeJS.Timeout | undefined;
  sent.once('socket', (socket) => {
    call.onSocket?.(socket);
    if (keepAliveMs !== undefined) socket.setKeepAlive(true, keepAliveMs);
    if (answerMs !== undefined)
      timer = setTimeout(() => sent.destroy(new Error(`no response in ${answerMs / 1000} s`)), answerMs);
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const abort = () => {
    // Our own agent reports why there is no connection yet.
    if (own !== undefined && sent.socket === null) return own.destroy();
    sent.destroy(signal.reason as Error);
    // A request that waits for an agent's connection emits no event until it has one.
    return reject(signal.reason as Error);
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
