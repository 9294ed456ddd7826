import { readFile } from 'node:fs/promises';
import { defined } from '../../core/defined.ts';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError, reasonOf } from '../../core/errors.ts';

/** How a server's certificate is verified. */
export interface TlsAsk {
  /**
   * PEM file of CA certificates that are trusted instead of the system's. It is read on each connection, because it may
   * be renewed.
   */
  readonly caFile?: string | undefined;
  /** Whether the certificate is not verified at all. */
  readonly insecure?: boolean | undefined;
  /** The name that the certificate must have, which is also sent to the server (SNI), if it is not the host's name. */
  readonly serverName?: string | undefined;
}

/**
 * Converts these settings to options for Node's TLS.
 * @throws ConfigError for a CA file that is unreadable or has no certificate
 */
export async function tlsOptions(host: string, { caFile, insecure, serverName }: TlsAsk): Promise<ConnectionOptions> {
  // If the host is an address, the certificate is verified for it, but it must not be sent as a name (RFC 6066, section
  // 3).
  const servername = serverName ?? (isIP(host) === 0 ? host : '');
  const ca = caFile === undefined ? undefined : await authoritiesIn(caFile);
  return { host, servername, rejectUnauthorized: !insecure, ...defined({ ca }) };
}

/**
 * @throws ConfigError if a file is unreadable, or has no certificate
 */
export async function authoritiesIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`cannot read the CA bundle ${file}: ${reasonOf(cause)}`, { cause });
  });
  // OpenSSL treats a file without a certificate as an empty CA list.
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(`the CA bundle ${file} contains no PEM certificate`);
  }
  return text;
}
