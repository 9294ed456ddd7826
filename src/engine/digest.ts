/** src/core/digest.ts without node:crypto. */
import type { sha1 as Sha1 } from '@noble/hashes/legacy.js';

export { readCertificate } from './x509/certificate.ts';

/** Imports only the part of the package that is used (build/core/bundle.ts). */
const hashes = () => require('@noble/hashes') as { readonly sha1: typeof Sha1 };

/** Of names that sudo may raise, none calls this. */
export function sha256(pieces: Iterable<string | Uint8Array>): string {
  const state = sys.hash(256);
  for (const piece of pieces) sys.hashAdd(state, typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.from(sys.hashEnd(state)).toString('hex');
}

export function sha1(bytes: Uint8Array): Buffer {
  return Buffer.from(hashes().sha1(bytes));
}
