import { createSecureContext } from 'node:tls';
import { WatchedFile } from '../../cli/secret-file.ts';
import { ConfigError, messageOf, reasonOf } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import type { Log } from '../../core/log.ts';
import type { RouteTls } from '../../net/pool/index.ts';

export interface TlsFiles {
  /** PEM file of CA certificates that are trusted instead of the system's. */
  readonly caFile?: string | undefined;
  /** Only encrypt, without verifying the certificate. */
  readonly insecure?: boolean;
  /** PEM files of the client certificate and its key, if the server requires one. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

const KEYS = ['ca', 'cert', 'key'] as const;

/**
 * The certificates for connections to one destination. When a file changes, new connections use it, and existing ones
 * close when idle.
 */
export class WatchedTls {
  readonly #files: Readonly<Record<(typeof KEYS)[number], WatchedFile | undefined>>;
  readonly #insecure: boolean;
  #tls: RouteTls;

  /**
   * @throws ConfigError if files are unreadable or have no certificate, or the key does not match
   */
  constructor({ caFile, certFile, keyFile, insecure = false }: TlsFiles) {
    this.#files = {
      ca: watched(caFile, '--ca-file'),
      cert: watched(certFile, '--cert-file'),
      key: watched(keyFile, '--key-file'),
    };
    this.#insecure = insecure;
    this.#tls = this.#read();
  }

  /** For the next request. The same object as long as no file changes. */
  current(log: Log): RouteTls {
    // All files are checked, because a certificate and its key change together.
    const changed = KEYS.filter((key) => this.#files[key]?.refresh(log));
    if (changed.length === 0) return this.#tls;
    try {
      this.#tls = this.#read();
    } catch (error) {
      log.warn(`${messageOf(error)}: keeping the previous ones`);
    }
    return this.#tls;
  }

  #read(): RouteTls {
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
    return { ...tls, insecure: this.#insecure };
  }
}

function watched(file: string | undefined, option: string): WatchedFile | undefined {
  if (file === undefined) return undefined;
  const found = new WatchedFile(file, option);
  // OpenSSL treats a file without certificates as an empty CA list.
  if (!found.text.includes('-----BEGIN ')) throw new ConfigError(`${option}: ${file} contains no PEM data`);
  return found;
}
