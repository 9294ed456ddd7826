/**
 * The one HTTP client: what speaks TLS, goes through a proxy, keeps connections or reads a stream. On Node's http and https,
 * which have all of that in them (docs/adr/0011). A plain GET of http:// needs none of it: codec.ts.
 *
 *   send():     one request, and whatever is read of its answer, under its limits
 *   exchange(): the same, and the whole answer; JSON stands on it (json.ts)
 */
import { request as requestHttp, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { defined } from '../core/defined.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** In place of the URL's own, which is made plain. */
  readonly path?: string;
  /** GET by default. */
  readonly method?: string | undefined;
  /** Content-Length is set by the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  /** Kept connections. By default a connection of its own: a kept one may lead to a server that is long gone. */
  readonly agent?: Agent | undefined;
  /** TLS, DNS and login, as Node has them. */
  readonly connection?: Pick<
    RequestOptions,
    'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized' | 'auth' | 'lookup'
  >;
  /** Whether twice is as once. A kept connection may have been closed just as it was used: it is sent again then. */
  readonly isRepeatable?: boolean;
  /** How long a connection may take to be made. By default the agent's queue has no limit, and answerMs covers the rest. */
  readonly connectMs?: number;
  /** How long the answer may take, as far as it is read. */
  readonly answerMs?: number;
  /** How often a silent peer is asked by TCP whether it is still there: the kernel alone takes a quarter of an hour. */
  readonly keepAliveMs?: number;
  /** For who follows the connection. */
  readonly onSocket?: (socket: Socket) => void;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Each of our kept connections may have been closed by the other side meanwhile. */
const STALE_CONNECTIONS = 3;
const BODY_MAX_BYTES = 16 * 2 ** 20;

/**
 * Sends a request and reads its answer, whatever its status. Limits hold until `read` is done, the signal for as long as the
 * connection is in use.
 * @param read called with the headers; gives the response itself to who reads a stream
 * @throws the system's error for no answer, or the signal's reason
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
 * One request and its whole answer.
 * @throws as send() does, and for an answer of more than 16 MiB or one that breaks off
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
  const answerDue = () => limit(answerMs, 'no answer');
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
    // One that waits for an agent's connection tells nothing until it has it.
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', abort, { once: true });
  sent.once('close', () => signal.removeEventListener('abort', abort));
  let answer: IncomingMessage | undefined;
  sent.once('response', (response) => {
    answer = response;
    // Whoever reads it is told; an error that comes before the reading must not end the process.
    response.on('error', () => {});
    resolve(response);
  });
  // Stays: there may be one after the answer.
  sent.on('error', reject);
  sent.end(body);
  const result = promise.then(read).finally(() => {
    clearTimeout(timer);
    // An early answer, such as 413: the body's memory must not be read any more.
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
  if (!response.complete) throw new Error('the answer broke off');
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
