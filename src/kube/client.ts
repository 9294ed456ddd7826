import { codeOf } from '../core/errors.ts';
import { unlessAborted, within } from '../core/abort.ts';
import { VERSION } from '../core/version.ts';
import { BODY_MAX_BYTES, bufferOf } from '../net/bounded-body.ts';
import { isUntrusted } from '../net/dial/network-error.ts';
import { readWithin } from '../net/pool/exchange.ts';
import { forProxy, Pool, type StreamedAnswer } from '../net/pool/index.ts';
import type { Api, Call } from './api.ts';
import { ApiError, errorFrom } from './api-error.ts';
import type { Credentials } from './login.ts';
import { WATCHES_MAX, type Timing } from './timing.ts';

/** Maximum number of concurrent requests per process, so that a restarted API server is not overloaded. */
const REQUESTS_AT_ONCE = 4;

/**
 * TCP keepalive interval. A Pod must notice that its node has lost the API server; the kernel alone takes a quarter of
 * an hour.
 */
const KEEPALIVE_MS = 10_000;
/** Connections kept without a request. */
const IDLE = 2;

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
    const options = { idle: IDLE, keepAliveMs: KEEPALIVE_MS, connectMs: timing.answerMs };
    this.#watches = new Pool({ ...options, atOnce: Infinity });
    this.#requests = new Pool({ ...options, atOnce: REQUESTS_AT_ONCE });
  }

  async open(call: Call, signal: AbortSignal): Promise<StreamedAnswer> {
    if (this.#open >= WATCHES_MAX) throw new TooManyWatches();
    this.#open++;
    try {
      const response = await this.#answer(call, this.#watches, signal);
      response.onOver(() => this.#open--);
      return response;
    } catch (error) {
      this.#open--;
      throw error;
    }
  }

  async ask<T>(call: Call, signal: AbortSignal): Promise<T> {
    const response = await this.#answer(call, this.#requests, signal);
    return (await readWithin(response, this.#timing.answerMs, jsonIn)) as T;
  }

  async isReady(signal: AbortSignal): Promise<boolean> {
    try {
      const response = await this.#answer({ path: '/readyz' }, this.#requests, signal);
      await readWithin(response, this.#timing.answerMs, (whole) => bufferOf(whole, BODY_MAX_BYTES));
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  forgetConnections(): void {
    for (const pool of [this.#watches, this.#requests]) pool.closeIdle();
  }

  [Symbol.dispose](): void {
    for (const pool of [this.#watches, this.#requests]) pool[Symbol.dispose]();
  }

  async #answer(call: Call, pool: Pool, signal: AbortSignal): Promise<StreamedAnswer> {
    let response = await this.#send(await this.#identity(false, signal), call, pool, signal);
    if (response.status === 401) {
      response.destroy();
      response = await this.#send(await this.#identity(true, signal), call, pool, signal);
    }
    const { status } = response;
    if (status === 401) {
      response.destroy();
      throw new ApiError(401, 'Unauthorized: the API server rejects our credentials, even after reloading them');
    }
    if (status < 200 || status > 299) throw await readWithin(response, this.#timing.answerMs, errorFrom);
    return response;
  }

  /**
   * The response once its headers have arrived, whatever its status. The timeout is answerMs and starts when the
   * connection is available.
   */
  async #send(credentials: Credentials, call: Call, pool: Pool, signal: AbortSignal): Promise<StreamedAnswer> {
    const { server, headers, route } = credentials;
    const { path, method = 'GET', accept = 'application/json' } = call;
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const { type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' } = call;
    // Rancher and others serve the API below a path.
    const target = server.pathname.replace(/\/$/, '') + path;
    const proxied = forProxy(route, server.origin, target);
    const request = {
      route,
      method,
      target: proxied.target,
      headers: [
        ['Host', server.host],
        ...headers,
        ['Accept', accept],
        ['User-Agent', `kolla-pod/${VERSION}`],
        ...(body === undefined ? [] : [['Content-Type', type] as const]),
        ...Object.entries(proxied.headers),
      ] as const,
      body,
      signal,
      isRepeatable: method === 'GET',
      answerMs: this.#timing.answerMs,
    };
    try {
      return await pool.send(request);
    } catch (error) {
      throw explained(error);
    }
  }

  /** With a timeout, because an exec plugin may prompt for input. */
  async #identity(refused: boolean, signal: AbortSignal): Promise<Credentials> {
    return await unlessAborted(within(this.#credentials(refused), this.#timing.answerMs, 'no credentials'), signal);
  }
}

async function jsonIn(response: StreamedAnswer): Promise<unknown> {
  return JSON.parse((await bufferOf(response, BODY_MAX_BYTES)).toString());
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
