import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, reasonOf } from '../../core/errors.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Our own certificate and its key, in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Reads and validates the certificate with which a client logs in. TLS libraries name no file in their errors, and take
 * the key of another certificate.
 * @param keyFile by default the key is in certFile
 * @throws ConfigError naming the file and the problem
 */
export function clientCertificate(certFile: string, keyFile: string = certFile): ClientCertificate {
  const cert = read(certFile);
  const first = firstOf(certFile, cert);
  const key = read(keyFile);
  if (!isKeyOf(first, keyFile, key)) {
    throw new ConfigError(`${keyFile} is not the key of the client certificate in ${certFile}`);
  }
  return { cert, key };
}

function firstOf(file: string, text: string): X509Certificate {
  const found = text.match(CERTIFICATE);
  if (found === null) throw new ConfigError(`${file} contains no PEM certificate for the client`);
  try {
    return found.map((each) => new X509Certificate(each))[0]!;
  } catch (cause) {
    throw new ConfigError(`${file} contains an invalid certificate for the client`, { cause });
  }
}

function isKeyOf(certificate: X509Certificate, file: string, key: string): boolean {
  if (key.includes('ENCRYPTED')) {
    throw new ConfigError(`${file}: the client's key is encrypted, and a passphrase cannot be asked for`);
  }
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    // OpenSSL's message may quote the file.
    throw new ConfigError(`${file} contains no PEM private key for the client`);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`cannot read the client certificate or key ${file}: ${reasonOf(cause)}`, { cause });
  }
}
