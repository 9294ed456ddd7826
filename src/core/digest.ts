/**
 * The cryptography that helpers need on both engines: digests and reading a certificate. src/engine/digest.ts
 * implements the same without node:crypto.
 */
import { createHash, X509Certificate } from 'node:crypto';

/** The hexadecimal digest of all pieces concatenated. */
export function sha256(pieces: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

export function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest();
}

export interface Certificate {
  /** The certificate in DER. */
  readonly raw: Buffer;
  /** The certificate in PEM. */
  toString(): string;
}

/** Throws the system's error if the block is not a certificate. */
export function readCertificate(pem: string): Certificate {
  return new X509Certificate(pem);
}
