import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { defined } from '../../core/defined.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { WatchedFile } from './login.ts';

export interface TlsFiles {
  /** PEM file; the authorities to trust instead of the well-known ones. */
  readonly caFile?: string | undefined;
  /** PEM files of our own certificate and its key, for a server that asks for one. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The environment's words on proxies, in both spellings. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** Idle connections are closed after so long: a proxy in between drops them silently. */
const IDLE_MS = 30_000;
const KEYS = ['ca', 'cert', 'key'] as const;

/**
 * Connections to one destination, kept open between requests. When a file of certificates changes, new connections are
 * made with it, and the old ones end as they become idle.
 */
export class Agents implements Disposable {
  readonly #files: Readonly<Record<(typeof KEYS)[number], WatchedFile | undefined>>;
  readonly #proxyEnv: ProxyEnv;
  readonly #http: HttpAgent;
  #https: HttpsAgent;

  /** @throws ConfigError for files that can't be read, or hold no certificate, or no key to it */
  constructor({ caFile, certFile, keyFile }: TlsFiles, proxyEnv: ProxyEnv) {
    this.#files = {
      ca: watched(caFile, '--ca-file'),
      cert: watched(certFile, '--cert-file'),
      key: watched(keyFile, '--key-file'),
    };
    this.#proxyEnv = proxyEnv;
    this.#http = new HttpAgent({ keepAlive: true, timeout: IDLE_MS, proxyEnv });
    this.#https = this.#made();
  }

  /** For the next request to this URL. */
  agentFor({ protocol }: URL, log: Log): HttpAgent {
    if (protocol === 'http:') return this.#http;
    // All are looked at: a certificate and its key change together.
    const changed = KEYS.filter((key) => this.#files[key]?.refresh(log));
    if (changed.length === 0) return this.#https;
    try {
      this.#https = this.#made();
    } catch (error) {
      log.warn(`${messageOf(error)}: going on with the ones before`);
    }
    return this.#https;
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #made(): HttpsAgent {
    const { ca, cert, key } = this.#files;
    const tls = defined({ ca: ca?.text, cert: cert?.text, key: key?.text });
    try {
      createSecureContext(tls);
    } catch (cause) {
      const files = [ca, cert, key].map((each) => each?.file).filter((file) => file !== undefined);
      throw new ConfigError(`${files.join(', ')}: not certificates and a key that fit: ${messageOf(cause)}`, { cause });
    }
    return new HttpsAgent({ keepAlive: true, timeout: IDLE_MS, proxyEnv: this.#proxyEnv, ...tls });
  }
}

function watched(file: string | undefined, option: string): WatchedFile | undefined {
  if (file === undefined) return undefined;
  const found = new WatchedFile(file, option);
  // OpenSSL takes a file without one for no authority at all.
  if (!found.text.includes('-----BEGIN ')) throw new ConfigError(`${option}: ${file} holds nothing in PEM`);
  return found;
}

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;
type Name = (typeof NAMES)[number];

/** The environment's words on proxies: HTTP_PROXY for http:// URLs, HTTPS_PROXY for https:// ones, NO_PROXY for whom not. */
export function proxyEnvOf(env: NodeJS.ProcessEnv): ProxyEnv {
  const both = NAMES.flatMap((name) => [name, name.toLowerCase()]);
  return defined(Object.fromEntries(both.map((name) => [name, env[name]])));
}

/** The variable of the proxy that a URL is asked by way of. */
export function proxyNameOf({ protocol }: URL): Name {
  return protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

/**
 * What of that is for these URLs, as Node's agents understand it: of a proxy without a scheme, and of one that they don't
 * know, they say nothing and go past it, and what is no URL they show with its password.
 * @throws ConfigError with the variable's name, and never its value
 */
export function proxiesFor(urls: readonly URL[], env: ProxyEnv): ProxyEnv {
  const names = new Set<Name>(['NO_PROXY', ...urls.map(proxyNameOf)]);
  const found = [...names].flatMap((name) => {
    // In the order in which Node looks, for whom an empty one is none.
    const spelling = [name.toLowerCase(), name].find((each) => (env[each] ?? '') !== '');
    if (spelling === undefined) return [];
    const value = env[spelling] ?? '';
    return [[name, name === 'NO_PROXY' ? value : proxyUrl(spelling, value.trim())]];
  });
  return Object.fromEntries(found);
}

/** As curl takes it: without a scheme it is http://. */
function proxyUrl(name: string, value: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol) || !isLoginWhole(url))
    throw new ConfigError(
      `${name}: a proxy is http://HOST:PORT or https://HOST:PORT; in a user or password / ? # @ % are %2F %3F %23 %40 %25`,
    );
  return url.href;
}

/** Of a password with a slash the rest would be a path, and its beginning a port. */
function isLoginWhole({ username, password, pathname, search, hash }: URL): boolean {
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return !`${pathname}${search}${hash}`.includes('@');
}
