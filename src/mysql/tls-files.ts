import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { defined } from '../core/defined.ts';
import { readFile } from 'node:fs/promises';
import { ConfigError, reasonOf } from '../core/errors.ts';
import type { MysqlTls } from './url-tls.ts';

/** Options for Node's TLS, in PEM. */
interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads and validates the TLS files of a target. OpenSSL treats a CA file without a certificate as an empty one, and
 * names no file in its errors.
 * @throws ConfigError naming the file and the problem
 */
export async function tlsMaterial({ caFile, certFile, keyFile }: MysqlTls): Promise<TlsMaterial> {
  const ca = caFile === undefined ? undefined : await certificatesIn(caFile);
  if (certFile === undefined) return defined({ ca });
  const cert = await certificatesIn(certFile);
  const key = await read(keyFile ?? certFile);
  const isPair = leafOf(cert).checkPrivateKey(privateKeyIn(keyFile ?? certFile, key));
  if (!isPair) throw new ConfigError(`${keyFile ?? certFile} is not the key of the certificate in ${certFile}`);
  return { ...defined({ ca }), cert, key };
}

async function certificatesIn(file: string): Promise<string> {
  const text = await read(file);
  const found = text.match(CERTIFICATE);
  if (found === null) throw new ConfigError(`${file}, configured for TLS, contains no PEM certificate`);
  for (const each of found) {
    try {
      leafOf(each);
    } catch (cause) {
      throw new ConfigError(`${file}, configured for TLS, contains an invalid certificate: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }
  return text;
}

/** The first certificate in the file. */
function leafOf(certificates: string): X509Certificate {
  return new X509Certificate(certificates);
}

function privateKeyIn(file: string, text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) {
    throw new ConfigError(`${file}: the key is encrypted, and a passphrase cannot be asked for`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    // OpenSSL's message may quote the file.
    throw new ConfigError(`${file}, configured for TLS, contains no PEM private key`);
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}, configured for TLS: ${reasonOf(cause)}`, { cause });
  }
}
