import { createHash, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** A key of Fernet's specification: 256 random bits, base64 as URLs have it. */
export function newKey(): string {
  return `${randomBytes(KEY_BYTES).toString('base64url')}=`;
}

/** Whether the services' Fernet takes it: as a file it may end with a line break. */
export function isKey(text: string): boolean {
  return /^[\w+/-]{43}=\s*$/.test(text);
}

/** What tells keys apart without telling what they are: for people. */
export function fingerprint(key: string): string {
  return createHash('sha256').update(key.trim()).digest('hex').slice(0, 8);
}
