import * as packing from '#gzip';
import { defined } from '../../core/defined.ts';
import { codeOf, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { oneLine } from '../../core/one-line.ts';
import { HttpParseError } from '../../net/codec/head.ts';
import { networkReason } from '../../net/dial/network-error.ts';
import { TlsAlertError } from '../../net/dial/tls-alert.ts';
import { exchange, type HttpAnswer } from '../../net/pool/exchange.ts';
import { forProxy, Pool, type Route } from '../../net/pool/index.ts';
import { requestParts } from '../../net/request-parts.ts';
import { Login, type LoginOptions } from './login.ts';
import { proxiesFor, proxyNameOf, proxyOf, type ProxyEnv } from './proxy-env.ts';
import { WatchedTls, type TlsFiles } from './tls-files.ts';

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
const POOL = {
  // The caller limits the number of requests, and an urgent one must not wait behind them.
  atOnce: Infinity,
  idle: 16,
  // Proxies drop idle connections silently.
  idleMs: 30_000,
  connectMs: 10_000,
  keepAliveMs: 10_000,
} as const;
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
  readonly #tls: WatchedTls;
  readonly #pool = new Pool(POOL);
  readonly #proxyEnv: ProxyEnv;
  readonly #hosts: Hosts;
  readonly #ways: ReadonlyMap<URL, ReturnType<typeof wayTo>>;

  /**
   * @throws ConfigError for unreadable files, and for an unusable proxy
   */
  constructor(options: ServerOptions, { log, proxyEnv, gzip = false }: ServerParts) {
    this.#options = options;
    this.#gzip = gzip;
    this.#log = log;
    this.#proxyEnv = proxiesFor(options.urls, proxyEnv);
    this.#login = options.login && new Login(options.login);
    this.#tls = new WatchedTls(options.tls);
    this.#hosts = new Hosts(options.urls);
    this.#ways = new Map(options.urls.map((url) => [url, wayTo(url, this.#proxyEnv)]));
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
    const body = packs ? packing.gzip(plain) : plain;
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
      try {
        const to = this.#requestTo(host, path, headers);
        const more = { method, body, signal, isRepeatable: !isOnce, answerMs: ANSWER_MS };
        const reply = await exchange(this.#pool, { ...to, ...more });
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
    this.#pool[Symbol.dispose]();
  }

  #requestTo(host: URL, path: string, headers: Readonly<Record<string, string>>) {
    const { to, isTls, own, base, proxy } = this.#ways.get(host)!;
    const tls = isTls ? this.#tls.current(this.#log) : undefined;
    const route: Route = { to, tls, proxy };
    const proxied = forProxy(route, host.origin, base + path);
    return { route, target: proxied.target, headers: Object.entries({ ...own, ...headers, ...proxied.headers }) };
  }

  #reasonOf(error: unknown, host: URL): string {
    const { urls, tls } = this.#options;
    const which = urls.length > 1 ? `${host.host}: ` : '';
    const proxy = proxyNameOf(host);
    const way = this.#proxyEnv[proxy] === undefined ? '' : ` (through the proxy ${proxy}, unless NO_PROXY has it)`;
    return which + networkHint(error, host, tls.caFile) + way;
  }
}

/** What stays the same of the requests to a host. */
function wayTo(host: URL, proxies: ProxyEnv) {
  const { to, isTls, target, headers } = requestParts(host);
  // Of a path starting with two slashes, a proxy could take the beginning for another host.
  const base = target.replace(/\?.*$/, '').replace(/^\/+/, '/').replace(/\/+$/, '');
  return { to, isTls, own: headers, base, proxy: proxyOf(host, proxies) };
}

function networkHint(error: unknown, { protocol }: URL, caFile: string | undefined): string {
  const code = codeOf(error) ?? '';
  if (error instanceof TlsAlertError || error instanceof HttpParseError)
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
