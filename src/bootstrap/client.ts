import { formatDuration } from '../core/duration.ts';
import { ConfigError, DeadlineError, KollaError, UnavailableError, messageOf } from '../core/errors.ts';
import { statusLine } from '../cli/status-line.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { askJson, UntrustedError, type JsonAnswer, type JsonCall } from '../net/json.ts';
import type { Effects } from './effects.ts';
import { Outdated } from './outdated.ts';

interface ClientOptions extends Effects {
  /** For messages: `Keystone`. */
  readonly name: string;
  /** Where its API is; several are tried in this order, beginning with the one that answered last. */
  readonly bases: readonly [URL, ...URL[]];
  readonly caFile?: string | undefined;
}

export interface Request extends Omit<JsonCall, 'url'> {
  /** Below the base: `/users?name=glance`. */
  readonly path: string;
  /** Instead of the client's own. */
  readonly base?: URL;
  /** A POST or PATCH that leaves nothing behind. */
  readonly isRepeatable?: boolean;
  /** For messages: `create user glance`. */
  readonly doing: string;
}

const ANSWER_MS = 30_000;
const BACKOFF = { minMs: 250, maxMs: 5000 };
/** The request did not reach anybody: it may be sent again, whatever it asks for. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
const TOO_MANY = 429;
/** Twice is not the same as once: a password that is set once more ends the tokens that were had meanwhile. */
const ONCE = new Set(['POST', 'PATCH']);

/** A JSON API that may be away for a while, starting, or behind a proxy that is. */
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
   * The answer, which is no 5xx and no 429: those are asked for again, as is one that did not come, until the deadline.
   * @throws Outdated for a POST or PATCH whose answer was lost: only reading tells whether it was carried out
   * @throws DeadlineError with what was last seen; ConfigError for a certificate that no trusted CA has signed
   */
  async send(request: Request): Promise<JsonAnswer> {
    const { name, signal, deadline, timeoutMs } = this.#options;
    let last = 'no answer';
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
          `${waited} were not enough to ${request.doing}; last seen of ${name} at ${this.#places(request)}: ${last}`,
        );
      }
    }
  }

  async #try(request: Request): Promise<{ answer: JsonAnswer; reason?: never } | { answer?: never; reason: string }> {
    const { signal, deadline, caFile, name } = this.#options;
    const reasons: string[] = [];
    for (const base of request.base === undefined ? this.#bases : [request.base]) {
      const { path, doing, method, headers = {}, body } = request;
      const url = new URL(base.pathname.replace(/\/$/, '') + path, base);
      let isSent = true;
      let reason: string;
      try {
        const answer = await askJson(
          { method, url, headers, body },
          { signal: AbortSignal.any([signal, deadline]), answerMs: ANSWER_MS, caFile },
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
        isSent = !NOT_SENT.has((error as NodeJS.ErrnoException).code ?? '');
      }
      signal.throwIfAborted();
      if (isSent && ONCE.has(request.method) && !request.isRepeatable) {
        throw new Outdated(new UnavailableError(`cannot ${doing}: ${name} at ${base.href}: ${reason}`));
      }
      reasons.push(this.#bases.length === 1 ? reason : `${base.host}: ${reason}`);
    }
    return { reason: reasons.join('; ') };
  }

  #places({ base }: Request): string {
    return (base === undefined ? this.#options.bases : [base]).map(({ href }) => href).join(', ');
  }
}
