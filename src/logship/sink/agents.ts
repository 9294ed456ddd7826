import { createSecureContext } from 'node:tls';
import { defined } from '../../core/defined.ts';
import { ConfigError, messageOf, reasonOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { DialingHttpAgent, DialingHttpsAgent } from '../../net/agents.ts';
import { isExempt } from '../../net/proxy.ts';
import { WatchedFile } from './login.ts';

export interface TlsFiles {
  /** PEM file of CA certificates that are trusted instead of the system's. */
  readonly caFile?: string | undefined;
  /** Only encrypt, without verifying the certificate. */
  readonly insecure?: boolean;
  /** PEM files of the client certificate and its key, if the server requires one. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The proxy variables of the environment, in both spellings. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** Time after which idle connections are closed, because proxies drop them silently. */
const IDLE_MS = 30_000;
const CONNECT_MS = 10_000;
const OPTIONS = { keepAlive: true, timeout: IDLE_MS, connectMs: CONNECT_MS };
const KEYS = ['ca', 'cert', 'key'] as const;

/**
 * Keep-alive connections to one destination. When a certificate file changes, new connections use it, and existing ones
 * close when idle.
 */
export class Agents implements Disposable {
  readonly #files: Readonly<Record<(typeof KEYS)[number], WatchedFile | undefined>>;
  readonly #rejectUnauthorized: boolean;
  readonly #http = new DialingHttpAgent(OPTIONS);
  #https: DialingHttpsAgent;

  /**
   * @throws ConfigError if files are unreadable or have no certificate, or the key does not match
   */
  constructor({ caFile, certFile, keyFile, insecure = false }: TlsFiles) {
    this.#files = {
      ca: watched(caFile, '--ca-file'),
      cert: watched(certFile, '--cert-file'),
      key: watched(keyFile, '--key-file'),
    };
    this.#rejectUnauthorized = !insecure;
    this.#https = this.#made();
  }

  /** The agent for the next request to this URL. */
  agentFor({ protocol }: URL, log: Log): DialingHttpAgent | DialingHttpsAgent {
    if (protocol === 'http:') return this.#http;
    // All files are checked, because a certificate and its key change together.
    const changed = KEYS.filter((key) => this.#files[key]?.refresh(log));
    if (changed.length === 0) return this.#https;
    try {
      this.#https = this.#made();
    } catch (error) {
      log.warn(`${messageOf(error)}: keeping the previous ones`);
    }
    return this.#https;
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #made(): DialingHttpsAgent {
    const { ca, cert, key } = this.#files;
    const tls = defined({ ca: ca?.text, cert: cert?.text, key: key?.text });
    try {
      createSecureContext(tls);
    } catch (cause) {
      const files = [ca, cert, key].map((each) => each?.file).filter((file) => file !== undefined);
      throw new ConfigError(`${files.join(', ')}: not certificates with a matching key: ${reasonOf(cause)}`, {
        cause,
      });
    }
    return new DialingHttpsAgent({ ...OPTIONS, rejectUnauthorized: this.#rejectUnauthorized, ...tls });
  }
}

function watched(file: string | undefined, option: string): WatchedFile | undefined {
  if (file === undefined) return undefined;
  const found = new WatchedFile(file, option);
  // OpenSSL treats a file without certificates as an empty CA list.
  if (!found.text.includes('-----BEGIN ')) throw new ConfigError(`${option}: ${file} contains no PEM data`);
  return found;
}

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;
type Name = (typeof NAMES)[number];

/**
 * The proxy variables of the environment: HTTP_PROXY for http:// URLs, HTTPS_PROXY for https:// ones, NO_PROXY for
 * exceptions.
 */
export function proxyEnvOf(env: NodeJS.ProcessEnv): ProxyEnv {
  const both = NAMES.flatMap((name) => [name, name.toLowerCase()]);
  return defined(Object.fromEntries(both.map((name) => [name, env[name]])));
}

/** The variable that contains the proxy for a URL. */
export function proxyNameOf({ protocol }: URL): Name {
  return protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

/**
 * The proxy settings for these URLs, validated.
 * @throws ConfigError with the variable's name, and never its value
 */
export function proxiesFor(urls: readonly URL[], env: ProxyEnv): ProxyEnv {
  const names = new Set<Name>(['NO_PROXY', ...urls.map(proxyNameOf)]);
  const found = [...names].flatMap((name) => {
    // The lower-case name applies first, as in curl. An empty variable counts as unset.
    const spelling = [name.toLowerCase(), name].find((each) => (env[each] ?? '') !== '');
    if (spelling === undefined) return [];
    const value = env[spelling] ?? '';
    return [[name, name === 'NO_PROXY' ? value : proxyUrl(spelling, value.trim())]];
  });
  return Object.fromEntries(found);
}

/**
 * The proxy for a URL, unless NO_PROXY has its host.
 * @param proxies from proxiesFor()
 */
export function proxyOf(url: URL, proxies: ProxyEnv): URL | undefined {
  const proxy = proxies[proxyNameOf(url)];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return proxy === undefined || isExempt({ host, port }, proxies['NO_PROXY'] ?? '') ? undefined : new URL(proxy);
}

/** Without a scheme it is an http:// proxy, as in curl. */
function proxyUrl(name: string, value: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol) || !isLoginWhole(url))
    throw new ConfigError(
      `${name}: a proxy is http://HOST:PORT or https://HOST:PORT; in a user or password / ? # @ % are %2F %3F %23 %40 %25`,
    );
  return url.href;
}

/** A slash in the password would end the authority: the rest would become a path, and its beginning a port. */
function isLoginWhole({ username, password, pathname, search, hash }: URL): boolean {
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return !`${pathname}${search}${hash}`.includes('@');
}
