import { createHash, hash } from 'node:crypto';

/**
 * One file's content from its first byte until it is truncated or replaced. A path has many, one after the other, and
 * a rename takes one along. Documents are named after it, so it must be found again after a restart, also without a
 * checkpoint: nothing of it depends on when we first looked.
 */
export interface Generation {
  /** Twelve characters that documents' ids begin with. */
  readonly id: string;
  /** Where it was written, without the `.1` that rotation may have added since. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly head: Head;
  /** Tells it from an earlier content of the same file that began with the same line. */
  readonly nth: number;
  /** Milliseconds since the epoch: the time of lines that come before any dated one. */
  readonly firstSeenMs: number;
}

/** A fingerprint of the first bytes. */
export interface Head {
  readonly length: number;
  readonly hash: string;
}

export const HEAD_BYTES = 256;
const NEWLINE = 10;

/**
 * The fingerprint of the first line, or of its first 256 bytes. It does not change while the file grows.
 * @param bytes the file's beginning
 * @param final take what is there, because nothing more will be read
 * @returns undefined while the first line is neither whole nor long enough
 */
export function headOf(bytes: Buffer, final = false): Head | undefined {
  const newline = bytes.subarray(0, HEAD_BYTES).indexOf(NEWLINE);
  if (newline !== -1) return fingerprint(bytes.subarray(0, newline + 1));
  if (bytes.length >= HEAD_BYTES) return fingerprint(bytes.subarray(0, HEAD_BYTES));
  return final && bytes.length > 0 ? fingerprint(bytes) : undefined;
}

/** Whether a file that begins with these bytes is the one whose head this is. */
export function hasHead(bytes: Buffer, head: Head): boolean {
  return bytes.length >= head.length && fingerprint(bytes.subarray(0, head.length)).hash === head.hash;
}

function fingerprint(bytes: Buffer): Head {
  return { length: bytes.length, hash: hash('sha256', bytes, 'base64') };
}

/**
 * The name of a generation. The device is left out: its number may change when the node starts again.
 * @param source tells apart pods that log the same first lines to the same path
 */
export function generationId(source: string, { path, ino, head, nth }: Omit<Generation, 'id'>): string {
  const parts = JSON.stringify([source, path, ino, head.hash, nth]);
  return createHash('sha256').update(parts).digest('base64url').slice(0, 12);
}

/** Nine base-36 digits are 100 TB. Padded, ids of one file sort together, which Lucene stores cheaply. */
const OFFSET_DIGITS = 9;

/** The id of the document that begins at this byte. The same line read again has the same one. */
export function documentId(generation: Generation, offset: number): string {
  return generation.id + offset.toString(36).padStart(OFFSET_DIGITS, '0');
}
