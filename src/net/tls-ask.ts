import { readFile } from 'node:fs/promises';
import { defined } from '../core/defined.ts';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError, messageOf } from '../core/errors.ts';

/** How a server's certificate is to be verified. */
export interface TlsAsk {
  /** PEM file of the authorities to trust instead of the well-known ones. Read at each connection: it may be renewed. */
  readonly caFile?: string | undefined;
  /** Do not verify it at all. */
  readonly insecure?: boolean | undefined;
  /** The name that it must be for, and that is told to the server (SNI), where that is not the host's. */
  readonly serverName?: string | undefined;
}

/**
 * The same for Node's TLS.
 * @throws ConfigError for a file of authorities that can't be read or has no certificate
 */
export async function tlsOptions(host: string, { caFile, insecure, serverName }: TlsAsk): Promise<ConnectionOptions> {
  // An address is verified as one, but must not be told as a name. RFC 6066, section 3.
  const servername = serverName ?? (isIP(host) === 0 ? host : '');
  const ca = caFile === undefined ? undefined : await authoritiesIn(caFile);
  return { host, servername, rejectUnauthorized: !insecure, ...defined({ ca }) };
}

/** @throws ConfigError for a file that can't be read, or has no certificate */
export async function authoritiesIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`cannot read ${file}, which has the authorities to trust: ${messageOf(cause)}`, { cause });
  });
  // OpenSSL takes a file without a certificate for no authority at all.
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(`${file}, which has the authorities to trust, holds no certificate in PEM`);
  }
  return text;
}
