import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { unlessAborted, within } from '../core/abort.ts';
import type { Api, Call } from './api.ts';
import { ApiError, errorFrom } from './api-error.ts';
import type { Credentials } from './credentials.ts';
import { exchange, forget, newPool, type Pool } from './exchange.ts';
import { WATCHES_MAX, type Timing } from './timing.ts';

/** A thousand answers one after the other need no more, and a server that comes up again is not stormed. */
const REQUESTS_AT_ONCE = 4;

/** What would be watched is asked for instead. */
export class TooManyWatches extends ApiError {
  constructor() {
    super(0, `${WATCHES_MAX} watches are open already`);
  }
}

/** Two pools of connections (watches hold theirs, other requests must not wait for them), with credentials as their files say at that moment. */
export class ApiClient implements Api, Disposable {
  mustList = false;
  #open = 0;
  readonly #credentials: (refused: boolean) => Promise<Credentials>;
  readonly #timing: Timing;
  // client-node opens a connection for each call (kubernetes-client/javascript#2893).
  readonly #watches = newPool(Infinity);
  readonly #requests = newPool(REQUESTS_AT_ONCE);

  constructor(credentials: (refused: boolean) => Promise<Credentials>, timing: Timing) {
    this.#credentials = credentials;
    this.#timing = timing;
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
    return (await this.#whole(response, json)) as T;
  }

  async isReady(signal: AbortSignal): Promise<boolean> {
    try {
      const response = await this.#answer({ path: '/readyz' }, this.#requests, signal);
      response.resume();
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  forgetConnections(): void {
    for (const pool of [this.#watches, this.#requests]) forget(pool);
  }

  [Symbol.dispose](): void {
    for (const { http, https } of [this.#watches, this.#requests]) {
      http.destroy();
      https.destroy();
    }
  }

  async #answer(call: Call, pool: Pool, signal: AbortSignal): Promise<IncomingMessage> {
    const limits = { signal, answerMs: this.#timing.answerMs };
    let response = await exchange(await this.#identity(false, signal), call, pool, limits);
    if (response.statusCode === 401) {
      response.destroy();
      response = await exchange(await this.#identity(true, signal), call, pool, limits);
    }
    const { statusCode = 0 } = response;
    if (statusCode === 401) {
      response.destroy();
      throw new ApiError(401, 'Unauthorized: the API server does not take our credentials, even when read again');
    }
    if (statusCode < 200 || statusCode > 299) throw await this.#whole(response, errorFrom);
    return response;
  }

  /** An exec plugin may ask somebody who is not there. */
  async #identity(refused: boolean, signal: AbortSignal): Promise<Credentials> {
    return await unlessAborted(within(this.#credentials(refused), this.#timing.answerMs, 'no credentials'), signal);
  }

  /** Reads an answer to its end, which a server that froze in its midst would never send. */
  async #whole<R>(response: IncomingMessage, read: (response: IncomingMessage) => Promise<R>): Promise<R> {
    const { answerMs } = this.#timing;
    const late = setTimeout(() => response.destroy(new Error(`no whole answer in ${answerMs / 1000} s`)), answerMs);
    try {
      return await read(response);
    } finally {
      clearTimeout(late);
    }
  }
}
