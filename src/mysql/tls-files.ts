import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defined } from '../core/defined.ts';
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
export function tlsMaterial({ caFile, certFile, keyFile = certFile }: MysqlTls): TlsMaterial {
  const ca = caFile === undefined ? undefined : certificatesIn(caFile).text;
  if (certFile === undefined || keyFile === undefined) return defined({ ca });
  const { text: cert, first } = certificatesIn(certFile);
  const key = read(keyFile);
  if (!isKeyOf(first, keyFile, key)) {
    throw new ConfigError(`${keyFile} is not the key of the certificate in ${certFile}`);
  }
  return { ...defined({ ca }), cert, key };
}

function certificatesIn(file: string): { readonly text: string; readonly first: X509Certificate } {
  const text = read(file);
  const found = text.match(CERTIFICATE);
  if (found === null) throw new ConfigError(`${file}, configured for TLS, contains no PEM certificate`);
  try {
    const [first] = found.map((each) => new X509Certificate(each));
    return { text, first: first! };
  } catch (cause) {
    throw new ConfigError(`${file}, configured for TLS, contains an invalid certificate: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

function isKeyOf(certificate: X509Certificate, file: string, key: string): boolean {
  if (/ENCRYPTED/.test(key)) {
    throw new ConfigError(`${file}: the key is encrypted, and a passphrase cannot be asked for`);
  }
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    // OpenSSL's message may quote the file.
    throw new ConfigError(`${file}, configured for TLS, contains no PEM private key`);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read ${file}, configured for TLS: ${reasonOf(cause)}`, { cause });
  }
}
