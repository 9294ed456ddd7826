/**
 * HTTP/1.1 on kept connections, on both engines: for a server that is asked again and again, such as the API server.
 *
 *   request -> a place among those at once -> an idle connection of the same route, or a new one (route.ts)
 *   -> connection.ts: head and body -> codec/answer -> StreamedAnswer, read as it comes
 *   -> read to its end: the connection is idle; otherwise it is closed
 *
 * Stale connections: the server may close one just as it is used. A repeatable request is then sent again, a few times.
 * One request on a connection of its own, as probes need it, is codec/get.ts.
 */
import { codeOf } from '../../core/errors.ts';
import { HEAD_MAX_BYTES } from '../codec/answer.ts';
import { HttpParseError } from '../codec/head.ts';
import { ResponseTooLargeError } from '../dial/too-large.ts';
import type { StreamedAnswer } from './answer.ts';
import { KeptConnection, type Request } from './connection.ts';
import { Places } from './places.ts';
import { connectTo, isSameRoute, type Route } from './route.ts';

export type { StreamedAnswer } from './answer.ts';
export { forProxy, type Route, type RouteTls } from './route.ts';

interface PoolOptions {
  /** Maximum number of requests at a time; further ones wait. */
  readonly atOnce: number;
  /** Maximum number of connections kept without a request. */
  readonly idle: number;
  /** Time after which they are closed. By default only the server closes them. */
  readonly idleMs?: number;
  /** Timeout of a connection, with lookup and proxy, and then of the handshake. */
  readonly connectMs: number;
  /** Interval of TCP keepalive. The kernel by itself notices a lost peer after a quarter of an hour. */
  readonly keepAliveMs: number;
}

export interface PoolRequest extends Request {
  readonly route: Route;
  /** Whether the request is idempotent. */
  readonly isRepeatable: boolean;
}

/** Maximum number of retries because the peer has closed a kept connection. */
const STALE_CONNECTIONS = 3;

export class Pool implements Disposable {
  readonly #options: PoolOptions;
  readonly #places: Places;
  readonly #over = new AbortController();
  readonly #open = new Set<KeptConnection>();
  /** The one that was used last is the last. */
  #idle: KeptConnection[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#places = new Places(options.atOnce);
  }

  /**
   * The response once its head has arrived, whatever its status. It must be read to its end, or destroyed.
   * @throws as dial() and dialTls(); the system's error if there is no response; an Error after a timeout; the signal's
   * reason
   */
  async send(request: PoolRequest): Promise<StreamedAnswer> {
    const leave = await this.#places.take(request.signal);
    try {
      const answer = await this.#answered(request);
      answer.onOver(leave);
      return answer;
    } catch (error) {
      leave();
      if (error instanceof HttpParseError && error.isTooLong)
        throw new ResponseTooLargeError(HEAD_MAX_BYTES, 'a response head', { cause: error });
      throw error;
    }
  }

  closeIdle(): void {
    for (const connection of this.#idle) connection.destroy();
    this.#idle = [];
  }

  [Symbol.dispose](): void {
    const closed = new Error('the client is closed');
    this.#over.abort(closed);
    for (const connection of this.#open) connection.destroy(closed);
  }

  async #answered(request: PoolRequest): Promise<StreamedAnswer> {
    for (let stale = 0; ; stale++) {
      request.signal.throwIfAborted();
      const kept = this.#takeIdle(request.route);
      const connection = kept ?? (await this.#connect(request));
      try {
        return await connection.ask(request);
      } catch (error) {
        request.signal.throwIfAborted();
        const isStale = kept !== undefined && (codeOf(error) === 'ECONNRESET' || codeOf(error) === 'EPIPE');
        if (!isStale || !request.isRepeatable || stale === STALE_CONNECTIONS) throw error;
      }
    }
  }

  #takeIdle(route: Route): KeptConnection | undefined {
    const at = this.#idle.findLastIndex((one) => isSameRoute(one.route, route));
    return at === -1 ? undefined : this.#idle.splice(at, 1)[0];
  }

  async #connect({ route, signal }: PoolRequest): Promise<KeptConnection> {
    const { connectMs, keepAliveMs } = this.#options;
    const late = new AbortController();
    const within = (what: string) =>
      setTimeout(() => late.abort(new Error(`no ${what} in ${connectMs / 1000} s`)), connectMs);
    let timer = within('connection');
    // A server that is connected, but frozen, does not respond.
    const connected = () => {
      clearTimeout(timer);
      timer = within('response');
    };
    try {
      const socket = await connectTo(route, AbortSignal.any([signal, late.signal, this.#over.signal]), connected);
      socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
      const connection = new KeptConnection(socket, route, {
        idle: (serverMs) => this.#keep(connection, serverMs),
        closed: () => this.#forget(connection),
      });
      this.#open.add(connection);
      return connection;
    } finally {
      clearTimeout(timer);
    }
  }

  #keep(connection: KeptConnection, serverMs: number): void {
    const idleMs = Math.min(this.#options.idleMs ?? Infinity, serverMs);
    if (idleMs <= 0) return connection.destroy();
    connection.closeAfter(idleMs);
    this.#idle.push(connection);
    if (this.#idle.length > this.#options.idle) this.#idle.shift()?.destroy();
  }

  #forget(connection: KeptConnection): void {
    this.#open.delete(connection);
    this.#idle = this.#idle.filter((one) => one !== connection);
  }
}
