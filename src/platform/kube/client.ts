import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { json } from 'node:stream/consumers';
import { VERSION } from '../../cli/version.ts';
import { unlessAborted } from '../abort.ts';
import { ApiError, errorFrom } from './api-error.ts';
import type { Credentials } from './credentials.ts';
import { explainTls } from './tls-error.ts';
import type { Timing } from './timing.ts';
import type { Method } from './types.ts';

/** What is asked of the API server. */
export interface Call {
  readonly path: string;
  readonly method?: Method;
  readonly body?: unknown;
  readonly accept?: string;
}

/** Answers of the API server. What the watches stand on. */
export interface Api {
  /** Opens a stream of events. Rejects with ApiError for a status that is no success, the system's error for no answer. */
  open(call: Call, signal: AbortSignal): Promise<IncomingMessage>;
  /** One whole answer. Rejects as open() does, and when it takes too long. */
  ask<T>(call: Call, signal: AbortSignal): Promise<T>;
  /** Whether this server was seen not to tell when it has sent what exists, so that a set needs a list first. */
  mustList: boolean;
  /** Whether the server says that it is ready; false too when it can't be asked. */
  isReady(signal: AbortSignal): Promise<boolean>;
  /** Closes the connections that nobody uses now: after trouble, where they lead to may be gone. */
  forgetConnections(): void;
}

/** Smaller than the object, and all that is needed to know that it is there. A server that can't, sends it whole. */
export const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
export const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** A Pod whose node lost the API server must notice: the kernel alone takes a quarter of an hour. */
const KEEPALIVE_MS = 10_000;
/** A thousand answers one after the other need no more, and a server that comes up again is not stormed. */
const REQUESTS_AT_ONCE = 4;

/** Each holds a connection of ours and a goroutine and a buffer of the server's. */
const WATCHES_MAX = 100;

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
  readonly #watches = agents(Infinity);
  readonly #requests = agents(REQUESTS_AT_ONCE);

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
    const { answerMs } = this.#timing;
    const late = setTimeout(() => response.destroy(new Error(`no whole answer in ${answerMs / 1000} s`)), answerMs);
    try {
      return (await json(response)) as T;
    } finally {
      clearTimeout(late);
    }
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
    for (const agent of this.#all())
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  [Symbol.dispose](): void {
    for (const agent of this.#all()) agent.destroy();
  }

  #all(): HttpAgent[] {
    return [this.#watches, this.#requests].flatMap(({ http, https }) => [http, https]);
  }

  async #answer(call: Call, pool: Agents, signal: AbortSignal): Promise<IncomingMessage> {
    let response = await this.#send(await unlessAborted(this.#credentials(false), signal), call, pool, signal);
    if (response.statusCode === 401) {
      response.destroy();
      response = await this.#send(await unlessAborted(this.#credentials(true), signal), call, pool, signal);
    }
    const { statusCode = 0 } = response;
    if (statusCode === 401) {
      response.destroy();
      throw new ApiError(401, 'Unauthorized: the API server does not take our credentials, even when read again');
    }
    if (statusCode < 200 || statusCode > 299) throw await errorFrom(response);
    return response;
  }

  #send(credentials: Credentials, call: Call, pool: Agents, signal: AbortSignal): Promise<IncomingMessage> {
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
    const { answerMs } = this.#timing;
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
      request.on('error', (error) => {
        clearTimeout(late);
        reject(explainTls(error));
      });
      request.end(body);
    });
  }
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function agents(maxSockets: number): Agents {
  const options = { keepAlive: true, keepAliveMsecs: KEEPALIVE_MS, maxFreeSockets: 2, maxSockets };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}
