import { formatDuration } from '../../core/duration.ts';
import { DeadlineError, NotPermittedError, UnavailableError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { oneLine } from '../../core/one-line.ts';
import type { ProxyEnv } from '../sink/proxy-env.ts';
import { NoAnswerError, Server, type ServerOptions } from '../sink/server.ts';
import { at, type JsonObject } from './mappings/json.ts';

/** Maximum number of characters of an unexpected reply. */
const LONGEST_BODY = 200;

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** A server that is being set up. */
export interface Api extends Disposable {
  /** The server's name in messages: `elasticsearch at http://es:9200`. It contains no credentials. */
  readonly name: string;
  /**
   * Sends one request. A status of 400 and above is returned like any other, except for authorization failures.
   * @throws NotPermittedError for 401 and 403, UnavailableError if no server responds, DeadlineError on timeout
   */
  request(method: string, path: string, body?: JsonObject): Promise<Reply>;
}

interface ConnectOptions {
  readonly log: Log;
  readonly proxyEnv: ProxyEnv;
  readonly timeoutMs: number;
  /** The signal of the process. */
  readonly signal: AbortSignal;
}

/**
 * @throws ConfigError if files are unreadable
 */
export function connect(options: ServerOptions, { log, proxyEnv, timeoutMs, signal }: ConnectOptions): Api {
  const server = new Server(options, { log, proxyEnv });
  const tooLate = AbortSignal.timeout(timeoutMs);
  const limit = AbortSignal.any([signal, tooLate]);
  const { name } = server;
  return {
    name,
    async request(method, path, body) {
      const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const reply = await server.ask({ method, path, body: sent }, limit).then(
        (answer): Reply => ({ status: answer.status, body: parsed(answer.body.toString()) }),
        (cause: unknown) => {
          signal.throwIfAborted();
          const within = `within --timeout ${formatDuration(timeoutMs)}`;
          if (tooLate.aborted)
            throw new DeadlineError(`${name} did not respond to ${method} ${path} ${within}`, { cause });
          if (cause instanceof NoAnswerError) throw new UnavailableError(`${name}: ${cause.message}`, { cause });
          throw cause;
        },
      );
      if (reply.status !== 401 && reply.status !== 403) return reply;
      const fix =
        reply.status === 401 ? 'check --user and its password, or the API key' : 'its user lacks the permission';
      throw new NotPermittedError(`${name} rejects ${method} ${path}: ${reasonOf(reply)}; ${fix}`);
    },
    [Symbol.dispose]: () => server[Symbol.dispose](),
  };
}

/** The error message and the status that a server returned. */
export function reasonOf({ status, body }: Reply): string {
  const error = at(body, 'error');
  const reason = typeof error === 'string' ? error : (at(error, 'reason') ?? textOf(body).slice(0, LONGEST_BODY));
  const cause = at(error, 'caused_by', 'caused_by', 'reason') ?? at(error, 'caused_by', 'reason');
  const text = `status ${status}: ${textOf(reason)}`;
  return cause === undefined || text.includes(textOf(cause)) ? text : `${text}: ${textOf(cause)}`;
}

function textOf(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body; // a proxy's page
  }
}
