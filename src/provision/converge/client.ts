import { formatDuration } from '../../core/duration.ts';
import { codeOf, ConfigError, DeadlineError, KollaError, messageOf, UnavailableError } from '../../core/errors.ts';
import type { Trust } from '../../cli/tls-option.ts';
import { statusLine } from '../../cli/status-line.ts';
import { backoffMs, pause } from '../../core/backoff.ts';
import { askJson, UntrustedError, type JsonAnswer, type JsonCall } from '../../net/json.ts';
import type { Effects } from './effects.ts';
import { ConflictError } from './conflict.ts';

interface ClientOptions extends Effects {
  /** The server's name in messages: `Keystone`. */
  readonly name: string;
  /** The API's URLs. They are tried in this order, starting with the one that responded last. */
  readonly bases: readonly [URL, ...URL[]];
  readonly trust: Trust;
}

export interface Request extends Omit<JsonCall, 'url'> {
  /** Path below the base URL: `/users?name=glance`. */
  readonly path: string;
  /** Overrides the client's base URLs. */
  readonly base?: URL;
  /** Set for a POST or PATCH without side effects. */
  readonly isRepeatable?: boolean;
  /** The request's name in messages: `create user glance`. */
  readonly doing: string;
}

const ANSWER_MS = 30_000;
const BACKOFF = { minMs: 250, maxMs: 5000 };
/** The request reached no server, so any request may be repeated. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
const TOO_MANY = 429;
/** Not idempotent: setting a password again revokes tokens that were issued in between. */
const ONCE = new Set(['POST', 'PATCH']);

/** Client of a JSON API that, like a proxy in front of it, may be temporarily unavailable. */
export class Client {
  readonly #options: ClientOptions;
  readonly #say: (text: string) => void;
  #bases: readonly URL[];

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#bases = options.bases;
    this.#say = statusLine(options.log);
  }

  /**
   * The response. Status 5xx and 429 and lost responses are retried until the deadline.
   * @throws ConflictError for a POST or PATCH with a lost response, since only reading the state shows whether it succeeded
   * @throws DeadlineError with the last state; ConfigError for a certificate not signed by a trusted CA
   */
  async send(request: Request): Promise<JsonAnswer> {
    const { name, signal, deadline, timeoutMs } = this.#options;
    let last = 'no response';
    for (let attempt = 0; ; attempt++) {
      const tried = await this.#try(request);
      if (tried.answer !== undefined) {
        if (attempt > 0) this.#options.log.info(`${name} is reachable again`);
        return tried.answer;
      }
      signal.throwIfAborted();
      if (!deadline.aborted) {
        last = tried.reason;
        this.#say(`waiting for ${name} at ${this.#places(request)}: ${last}`);
        await pause(backoffMs(attempt, BACKOFF), AbortSignal.any([signal, deadline])).catch(() =>
          signal.throwIfAborted(),
        );
      }
      if (deadline.aborted) {
        const waited = formatDuration(timeoutMs);
        throw new DeadlineError(
          `could not ${request.doing} within ${waited}; last state of ${name} at ${this.#places(request)}: ${last}`,
        );
      }
    }
  }

  async #try(request: Request): Promise<{ answer: JsonAnswer; reason?: never } | { answer?: never; reason: string }> {
    const { signal, deadline, trust, name } = this.#options;
    const reasons: string[] = [];
    for (const base of request.base === undefined ? this.#bases : [request.base]) {
      const { path, doing, method, headers = {}, body } = request;
      const url = new URL(base.pathname.replace(/\/$/, '') + path, base);
      let isSent = true;
      let reason: string;
      try {
        const answer = await askJson(
          { method, url, headers, body },
          { signal: AbortSignal.any([signal, deadline]), answerMs: ANSWER_MS, ...trust },
        );
        if (answer.status < 500 && answer.status !== TOO_MANY) {
          if (request.base === undefined) this.#bases = [base, ...this.#bases.filter((other) => other !== base)];
          return { answer };
        }
        reason = `it answers ${answer.status}`;
        isSent = answer.status !== TOO_MANY;
      } catch (error) {
        if (error instanceof UntrustedError)
          throw new ConfigError(`cannot trust ${name} at ${base.href}: ${error.message}`, { cause: error });
        if (error instanceof KollaError) throw error;
        reason = messageOf(error);
        isSent = !NOT_SENT.has(codeOf(error) ?? '');
      }
      signal.throwIfAborted();
      if (isSent && ONCE.has(request.method) && !request.isRepeatable) {
        throw new ConflictError(new UnavailableError(`cannot ${doing}: ${name} at ${base.href}: ${reason}`));
      }
      reasons.push(this.#bases.length === 1 ? reason : `${base.host}: ${reason}`);
    }
    return { reason: reasons.join('; ') };
  }

  #places({ base }: Request): string {
    return (base === undefined ? this.#options.bases : [base]).map(({ href }) => href).join(', ');
  }
}
