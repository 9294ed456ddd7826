/** src/core/digest.ts without node:crypto. */
import { sha1 as digestSha1 } from '@noble/hashes/legacy.js';
import { sha256 as digestSha256 } from '@noble/hashes/sha2.js';

export { readCertificate } from './certificate.ts';

export function sha256(pieces: Iterable<string | Uint8Array>): string {
  const hash = digestSha256.create();
  for (const piece of pieces) hash.update(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.from(hash.digest()).toString('hex');
}

export function sha1(bytes: Uint8Array): Buffer {
  return Buffer.from(digestSha1(bytes));
}
