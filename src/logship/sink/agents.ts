import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { ConfigError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { WatchedFile } from './watched-file.ts';

export interface TlsFiles {
  /** PEM file; the authorities to trust instead of the well-known ones. */
  readonly caFile?: string | undefined;
  /** PEM files of our own certificate and its key, for a server that asks for one. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The environment's words on proxies, in both spellings. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** Idle connections are closed after so long: a proxy in between forgets them without a word. */
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
    const tls = Object.fromEntries(
      KEYS.flatMap((key) => {
        const file = this.#files[key];
        return file === undefined ? [] : [[key, file.text]];
      }),
    );
    try {
      createSecureContext(tls);
    } catch (cause) {
      const files = KEYS.map((key) => this.#files[key]?.file).filter((file) => file !== undefined);
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
