import { readFile } from 'node:fs/promises';
import { defined } from '../core/defined.ts';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError, messageOf } from '../core/errors.ts';

/** How to verify a server's certificate. */
export interface TlsAsk {
  /**
   * PEM file of CA certificates to trust instead of the well-known ones. Read on each connection: it may be renewed.
   */
  readonly caFile?: string | undefined;
  /** Do not verify it at all. */
  readonly insecure?: boolean | undefined;
  /** The expected name, also sent to the server (SNI), if it is not the host's. */
  readonly serverName?: string | undefined;
}

/**
 * The same for Node's TLS.
 * @throws ConfigError for a CA file that is unreadable or has no certificate
 */
export async function tlsOptions(host: string, { caFile, insecure, serverName }: TlsAsk): Promise<ConnectionOptions> {
  // An address is verified as one, but must not be sent as a name. RFC 6066, section 3.
  const servername = serverName ?? (isIP(host) === 0 ? host : '');
  const ca = caFile === undefined ? undefined : await authoritiesIn(caFile);
  return { host, servername, rejectUnauthorized: !insecure, ...defined({ ca }) };
}

/**
 * @throws ConfigError if a file is unreadable, or has no certificate
 */
export async function authoritiesIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`cannot read the CA bundle ${file}: ${messageOf(cause)}`, { cause });
  });
  // OpenSSL treats a file without a certificate as an empty CA list.
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(`the CA bundle ${file} contains no PEM certificate`);
  }
  return text;
}
