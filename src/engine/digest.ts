/** src/core/digest.ts without node:crypto. */
import type { sha1 as Sha1 } from '@noble/hashes/legacy.js';
import type { sha256 as Sha256 } from '@noble/hashes/sha2.js';

export { readCertificate } from './certificate.ts';

/** Imports only the part of the package that is used (build/core/bundle.ts). */
const hashes = () => require('@noble/hashes') as { readonly sha1: typeof Sha1; readonly sha256: typeof Sha256 };

export function sha256(pieces: Iterable<string | Uint8Array>): string {
  const hash = hashes().sha256.create();
  for (const piece of pieces) hash.update(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.from(hash.digest()).toString('hex');
}

export function sha1(bytes: Uint8Array): Buffer {
  return Buffer.from(hashes().sha1(bytes));
}
