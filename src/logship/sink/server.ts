import { promisify } from 'node:util';
import { defined } from '../../core/defined.ts';
import { codeOf, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { oneLine } from '../../core/one-line.ts';
import { exchange, type HttpAnswer } from '../../net/client.ts';
import { networkReason } from '../../net/dial/network-error.ts';
import { Agents, proxiesFor, proxyNameOf, proxyOf, type ProxyEnv, type TlsFiles } from './agents.ts';
import { Login, type LoginOptions } from './login.ts';

export interface ServerOptions {
  /** The kind of server, for messages and for differences between the two. */
  readonly kind: 'elasticsearch' | 'opensearch';
  /** The hosts of one cluster, without credentials. */
  readonly urls: readonly [URL, ...URL[]];
  readonly login: LoginOptions | undefined;
  readonly tls: TlsFiles;
}

export interface ServerParts {
  readonly log: Log;
  readonly proxyEnv: ProxyEnv;
  /** Whether bodies are compressed. */
  readonly gzip?: boolean;
}

interface Asked {
  readonly method: string;
  /** The path of a request, appended to that of the URL: `/_bulk`. */
  readonly path: string;
  readonly body?: Buffer | undefined;
  readonly contentType?: string;
  /** Set if the request must not be sent again after a failure in which a server may have received it. */
  readonly isOnce?: boolean;
}

/** No host has responded. The message is one line for users. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError';
  /** Whether an established connection broke, as when a request is too large for a proxy. */
  readonly isCut: boolean;

  constructor(message: string, isCut: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isCut = isCut;
  }
}

/** Timeout of a bulk request. A slower request is retried; its IDs prevent duplicates. */
const ANSWER_MS = 60_000;
/** Statuses of a proxy that cannot reach its server. */
const GONE = new Set([502, 503, 504]);
const CUT = new Set(['ECONNRESET', 'EPIPE']);
/** Failures in which no server has received anything. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The hosts of one cluster, with credentials and connections. */
export class Server implements Disposable {
  readonly #options: ServerOptions;
  readonly #gzip: boolean;
  readonly #log: Log;
  readonly #login: Login | undefined;
  readonly #agents: Agents;
  readonly #proxyEnv: ProxyEnv;
  readonly #hosts: Hosts;

  /**
   * @throws ConfigError for unreadable files, and for an unusable proxy
   */
  constructor(options: ServerOptions, { log, proxyEnv, gzip = false }: ServerParts) {
    this.#options = options;
    this.#gzip = gzip;
    this.#log = log;
    this.#proxyEnv = proxiesFor(options.urls, proxyEnv);
    this.#login = options.login && new Login(options.login);
    this.#agents = new Agents(options.tls);
    this.#hosts = new Hosts(options.urls);
  }

  /** The server's name: `elasticsearch at https://es:9200`. */
  get name(): string {
    const { kind, urls } = this.#options;
    return `${kind} at ${urls.map(({ origin }) => origin).join(', ')}`;
  }

  /**
   * Tries each host until one responds, and returns its response, whatever the status. A host that fails is the last one
   * that the next request tries.
   * @throws NoAnswerError if none does, or the signal's reason
   */
  async ask(asked: Asked, signal: AbortSignal): Promise<HttpAnswer> {
    const { method, path, body: plain, contentType = 'application/json', isOnce = false } = asked;
    const packs = this.#gzip && plain !== undefined;
    const body = packs ? await gzipped(plain) : plain;
    const headers = {
      accept: 'application/json',
      // Without it a proxy may compress the response.
      'accept-encoding': 'identity',
      ...defined({
        'content-type': plain && contentType,
        'content-encoding': packs ? 'gzip' : undefined,
        authorization: this.#login?.authorization(this.#log),
      }),
    };
    let gone: HttpAnswer | undefined;
    const failures: { readonly reason: string; readonly cause: unknown }[] = [];
    for (const host of this.#hosts.order()) {
      const url = below(host, path);
      try {
        const reply = await exchange({
          url,
          agent: this.#agents.agentFor(host, this.#log),
          proxy: proxyOf(host, this.#proxyEnv),
          method,
          headers,
          body,
          signal,
          isRepeatable: !isOnce,
          answerMs: ANSWER_MS,
        });
        if (!GONE.has(reply.status)) {
          this.#hosts.answered(host);
          return reply;
        }
        gone = reply;
      } catch (cause) {
        signal.throwIfAborted();
        failures.push({ reason: this.#reasonOf(cause, host), cause });
      }
      this.#hosts.failed(host);
      if (isOnce && (gone !== undefined || !UNSENT.has(codeOf(failures.at(-1)?.cause) ?? ''))) break;
    }
    if (gone !== undefined) return gone;
    const isCut = failures.some(({ cause }) => CUT.has(codeOf(cause) ?? ''));
    throw new NoAnswerError(failures.map(({ reason }) => reason).join('; '), isCut, { cause: failures[0]?.cause });
  }

  [Symbol.dispose](): void {
    this.#agents[Symbol.dispose]();
  }

  #reasonOf(error: unknown, host: URL): string {
    const { urls, tls } = this.#options;
    const which = urls.length > 1 ? `${host.host}: ` : '';
    const proxy = proxyNameOf(host);
    const way = this.#proxyEnv[proxy] === undefined ? '' : ` (through the proxy ${proxy}, unless NO_PROXY has it)`;
    return which + networkHint(error, host, tls.caFile) + way;
  }
}

/** A path starting with two slashes would name another host, which would receive the password. */
function below(host: URL, path: string): URL {
  return new URL(host.pathname.replace(/^\/+/, '/').replace(/\/+$/, '') + path, host);
}

/** Loaded only if compression is enabled. */
async function gzipped(body: Buffer): Promise<Buffer> {
  const { constants, gzip } = await import('node:zlib');
  return await promisify<Buffer, { level: number }, Buffer>(gzip)(body, { level: constants.Z_BEST_SPEED });
}

function networkHint(error: unknown, { protocol }: URL, caFile: string | undefined): string {
  const code = codeOf(error) ?? '';
  if (code.startsWith('HPE_'))
    return `the server does not speak HTTP${protocol === 'http:' ? '; is it https://?' : ''}`;
  if (/ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE|UNKNOWN_CA)/.test(code))
    return `it requires another client certificate: see --cert-file and --key-file (${code})`;
  // The cause may be a protocol mismatch: a TLS server closes the connection after a plain-text request.
  if (code === 'ECONNRESET' && /socket hang up/.test(messageOf(error)))
    return `ECONNRESET: it closed the connection without a response${protocol === 'http:' ? '; is it https://?' : ''}`;
  return oneLine(networkReason(error, caFile));
}

/** How long a failed host is skipped while others respond. */
const PASSED_OVER_MS = 10_000;

/** Rotates among the hosts of one cluster. */
class Hosts {
  readonly #urls: readonly URL[];
  readonly #failedMs = new Map<URL, number>();
  #next = 0;

  constructor(urls: readonly URL[]) {
    this.#urls = urls;
  }

  /** All hosts in the order in which the next request tries them: round robin, with recently failed ones last. */
  order(): URL[] {
    const count = this.#urls.length;
    const first = this.#next;
    this.#next = (first + 1) % count;
    const turn = [...this.#urls.slice(first), ...this.#urls.slice(0, first)];
    const now = performance.now();
    const isPassedOver = (url: URL) => now - (this.#failedMs.get(url) ?? -Infinity) < PASSED_OVER_MS;
    return [...turn.filter((url) => !isPassedOver(url)), ...turn.filter(isPassedOver)];
  }

  failed(url: URL): void {
    this.#failedMs.set(url, performance.now());
  }

  answered(url: URL): void {
    this.#failedMs.delete(url);
  }
}
