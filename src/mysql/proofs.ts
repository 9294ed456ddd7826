/** What a client sends to prove that it has the password. Buffers with which one could log in are erased. */
import { createHash } from 'node:crypto';

/** The server's random bytes that a proof is for. */
export const NONCE_BYTES = 20;

/** mysql_native_password: SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))); empty if there is no password. */
export function nativeProof(password: Uint8Array, nonce: Uint8Array): Buffer {
  return proofOf(password, (once) => digest('sha1', nonce, digest('sha1', once)), 'sha1');
}

/**
 * caching_sha2_password: SHA256(password) XOR SHA256(SHA256(SHA256(password)) + nonce); empty if there is no password.
 */
export function cachingProof(password: Uint8Array, nonce: Uint8Array): Buffer {
  return proofOf(password, (once) => digest('sha256', digest('sha256', once), nonce), 'sha256');
}

function proofOf(password: Uint8Array, maskOf: (once: Buffer) => Buffer, name: 'sha1' | 'sha256'): Buffer {
  if (password.length === 0) return Buffer.alloc(0);
  const once = digest(name, password);
  const mask = maskOf(once);
  for (let i = 0; i < mask.length; i++) mask[i]! ^= once[i]!;
  once.fill(0);
  return mask;
}

function digest(name: 'sha1' | 'sha256', ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
