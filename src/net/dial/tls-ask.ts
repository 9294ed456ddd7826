import { readFileSync } from 'node:fs';
import { defined } from '../../core/defined.ts';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError, reasonOf } from '../../core/errors.ts';
import { clientCertificate } from './client-certificate.ts';

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
  /** PEM file with the client's own certificate, read on each connection too. */
  readonly certFile?: string | undefined;
  /** PEM file with its key, if that is not in certFile. */
  readonly keyFile?: string | undefined;
}

/**
 * Converts these settings to options for Node's TLS.
 * @throws ConfigError for a CA file that is unreadable or has no certificate; as clientCertificate()
 */
export function tlsOptions(
  host: string,
  { caFile, insecure, serverName, certFile, keyFile }: TlsAsk,
): ConnectionOptions {
  // If the host is an address, the certificate is verified for it, but it must not be sent as a name (RFC 6066, section
  // 3).
  const servername = serverName ?? (isIP(host) === 0 ? host : '');
  const ca = caFile === undefined ? undefined : authoritiesIn(caFile);
  const own = certFile === undefined ? {} : clientCertificate(certFile, keyFile);
  return { host, servername, rejectUnauthorized: !insecure, ...defined({ ca }), ...own };
}

/**
 * @throws ConfigError if a file is unreadable, or has no certificate
 */
export function authoritiesIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read the CA bundle ${file}: ${reasonOf(cause)}`, { cause });
  }
  // OpenSSL treats a file without a certificate as an empty CA list.
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(`the CA bundle ${file} contains no PEM certificate`);
  }
  return text;
}
