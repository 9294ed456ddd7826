import type { IncomingMessage } from 'node:http';
import { codeOf } from '../core/errors.ts';
import { unlessAborted, within } from '../core/abort.ts';
import { VERSION } from '../core/version.ts';
import { DialingHttpAgent, DialingHttpsAgent } from '../net/agents.ts';
import { bufferOf } from '../net/bounded-body.ts';
import { BODY_MAX_BYTES, send } from '../net/client.ts';
import { isUntrusted } from '../net/dial/network-error.ts';
import type { Api, Call } from './api.ts';
import { ApiError, errorFrom } from './api-error.ts';
import type { Credentials } from './credentials.ts';
import { WATCHES_MAX, type Timing } from './timing.ts';

/** Maximum number of concurrent requests per process, so that a restarted API server is not overloaded. */
const REQUESTS_AT_ONCE = 4;

/**
 * TCP keepalive interval. A Pod must notice that its node has lost the API server; the kernel alone takes a quarter of
 * an hour.
 */
const KEEPALIVE_MS = 10_000;

/** The maximum number of watches is open; the caller polls instead. */
export class TooManyWatches extends ApiError {
  constructor() {
    super(0, `${WATCHES_MAX} watches are open already`);
  }
}

/**
 * Two connection pools, because other requests must not wait for the connections that watches keep. Credentials are
 * read from their files on each request.
 */
export class ApiClient implements Api, Disposable {
  mustList = false;
  #open = 0;
  readonly #credentials: (refused: boolean) => Promise<Credentials>;
  readonly #timing: Timing;
  // client-node opens a connection for each call (kubernetes-client/javascript#2893).
  readonly #watches: Pool;
  readonly #requests: Pool;

  constructor(credentials: (refused: boolean) => Promise<Credentials>, timing: Timing) {
    this.#credentials = credentials;
    this.#timing = timing;
    this.#watches = newPool(Infinity, timing.answerMs);
    this.#requests = newPool(REQUESTS_AT_ONCE, timing.answerMs);
  }

  async open(call: Call, signal: AbortSignal): Promise<IncomingMessage> {
    if (this.#open >= WATCHES_MAX) throw new TooManyWatches();
    this.#open++;
    try {
      const response = await this.#answer(call, this.#watches, signal);
      response.once('close', () => this.#open--);
      return response;
    } catch (error) {
      this.#open--;
      throw error;
    }
  }

  async ask<T>(call: Call, signal: AbortSignal): Promise<T> {
    const response = await this.#answer(call, this.#requests, signal);
    return (await this.#whole(response, jsonIn)) as T;
  }

  async isReady(signal: AbortSignal): Promise<boolean> {
    try {
      const response = await this.#answer({ path: '/readyz' }, this.#requests, signal);
      await this.#whole(response, (whole) => bufferOf(whole, BODY_MAX_BYTES));
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  forgetConnections(): void {
    for (const pool of [this.#watches, this.#requests]) closeIdle(pool);
  }

  [Symbol.dispose](): void {
    for (const { http, https } of [this.#watches, this.#requests]) {
      http.destroy();
      https.destroy();
    }
  }

  async #answer(call: Call, pool: Pool, signal: AbortSignal): Promise<IncomingMessage> {
    let response = await this.#send(await this.#identity(false, signal), call, pool, signal);
    if (response.statusCode === 401) {
      response.destroy();
      response = await this.#send(await this.#identity(true, signal), call, pool, signal);
    }
    const { statusCode = 0 } = response;
    if (statusCode === 401) {
      response.destroy();
      throw new ApiError(401, 'Unauthorized: the API server rejects our credentials, even after reloading them');
    }
    if (statusCode < 200 || statusCode > 299) throw await this.#whole(response, errorFrom);
    return response;
  }

  /**
   * The response once its headers have arrived, whatever its status. The timeout is answerMs and starts when the
   * connection is available.
   */
  async #send(credentials: Credentials, call: Call, pool: Pool, signal: AbortSignal): Promise<IncomingMessage> {
    const { server, headers, connection, proxy, agent } = credentials;
    const { path, method = 'GET', accept = 'application/json' } = call;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const { type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' } = call;
    const request = {
      // Rancher and others serve the API below a path.
      url: new URL(server.pathname.replace(/\/$/, '') + path, server),
      proxy,
      agent: agent ?? (server.protocol === 'https:' ? pool.https : pool.http),
      signal,
      method,
      headers: {
        ...headers,
        accept,
        'user-agent': `kolla-pod/${VERSION}`,
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      body,
      // Without a connection there is no socket, so that answerMs has not started: a SOCKS proxy has its own timeout.
      connection: agent === undefined ? connection : { ...connection, timeout: this.#timing.answerMs },
      isRepeatable: method === 'GET',
      answerMs: this.#timing.answerMs,
      keepAliveMs: KEEPALIVE_MS,
    };
    return await send(request, (response) => response).catch((error: unknown) => {
      throw explained(error);
    });
  }

  /** With a timeout, because an exec plugin may prompt for input. */
  async #identity(refused: boolean, signal: AbortSignal): Promise<Credentials> {
    return await unlessAborted(within(this.#credentials(refused), this.#timing.answerMs, 'no credentials'), signal);
  }

  /** Reads a full response, with a timeout for a server that freezes in the middle. */
  async #whole<R>(response: IncomingMessage, read: (response: IncomingMessage) => Promise<R>): Promise<R> {
    const { answerMs } = this.#timing;
    const late = setTimeout(
      () => response.destroy(new Error(`no complete response in ${answerMs / 1000} s`)),
      answerMs,
    );
    try {
      return await read(response);
    } finally {
      clearTimeout(late);
    }
  }
}

async function jsonIn(response: IncomingMessage): Promise<unknown> {
  return JSON.parse((await bufferOf(response, BODY_MAX_BYTES)).toString());
}

/** A pool of connections. */
interface Pool {
  readonly http: DialingHttpAgent;
  readonly https: DialingHttpsAgent;
}

/** @param maxSockets maximum number in use at a time; further requests wait */
function newPool(maxSockets: number, connectMs: number): Pool {
  const options = { keepAlive: true, keepAliveMsecs: KEEPALIVE_MS, maxFreeSockets: 2, maxSockets, connectMs };
  return { http: new DialingHttpAgent(options), https: new DialingHttpsAgent(options) };
}

/** Closes the idle connections of a pool. */
function closeIdle({ http, https }: Pool): void {
  for (const { freeSockets } of [http, https])
    for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/**
 * The same error in terms that an operator knows: Node's messages suggest options of Node. Other errors are unchanged.
 */
function explained(error: unknown): unknown {
  const code = codeOf(error);
  if (!(error instanceof Error) || !isUntrusted(error)) return error;
  const message = "the API server's certificate is not signed by the CA of our credentials";
  return new Error(`${message} (${code})`, { cause: error });
}
