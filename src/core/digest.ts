/**
 * What of cryptography the helpers need that also run without Node: digests, and reading a certificate. src/engine/digest.ts
 * has the same without node:crypto.
 */
import { createHash, X509Certificate } from 'node:crypto';

/** In hexadecimal digits, of all pieces one after the other. */
export function sha256(pieces: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

export function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest();
}

export interface Certificate {
  /** DER. */
  readonly raw: Buffer;
  /** PEM, as everybody writes it. */
  toString(): string;
}

/** Throws the system's error for a block that is no certificate. */
export function readCertificate(pem: string): Certificate {
  return new X509Certificate(pem);
}
