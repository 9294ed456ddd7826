import { LEAD_BYTES } from '../position/trail.ts';

/** A position at which a text can be cut without splitting a UTF-8 character: `end`, or up to three bytes before it. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at--) {
    const next = bytes[at];
    if (next === undefined || (next & 0b1100_0000) !== 0b1000_0000) return at;
  }
  return end;
}

/** The index after the NUL bytes that start here, `end` at most. */
export function skipNuls(bytes: Buffer, from: number, end = bytes.length): number {
  let at = from;
  while (at < end && bytes[at] === 0) at++;
  return at;
}

/** Block size of file systems, for reclaiming. */
export const BLOCK_BYTES = 4096;
/** Size of the start of a file that is never reclaimed, because it identifies the file. */
export const NEVER_GIVEN_BACK_BYTES = 64 * 1024;

const NULS = Buffer.alloc(BLOCK_BYTES);

/**
 * Finds the first block of NULs in a range that may have been punched.
 * @param position of the chunk in its file
 * @returns the index in the chunk, or -1
 */
export function holeIn(
  chunk: Buffer,
  position: number,
  { start, end }: { readonly start: number; readonly end: number },
): number {
  const first = Math.max(start, Math.ceil(position / BLOCK_BYTES) * BLOCK_BYTES);
  const last = Math.min(chunk.length, end - position) - BLOCK_BYTES;
  for (let at = first - position; at <= last; at += BLOCK_BYTES)
    if (chunk[at] === 0 && chunk.compare(NULS, 0, BLOCK_BYTES, at, at + BLOCK_BYTES) === 0) return at;
  return -1;
}

/** Number of bytes per read of a file. */
export const CHUNK_BYTES = 256 * 1024;

/** Maximum number of bytes per read, in a buffer that all files of a reader share. */
export function readBytesFor(maxLineBytes: number): number {
  return Math.max(CHUNK_BYTES, maxLineBytes);
}

/** The buffer of all files of a reader, with room for a chunk and for the longest line plus one byte, after what is before them. */
export function readBuffer(maxLineBytes: number): Buffer {
  return Buffer.allocUnsafeSlow(LEAD_BYTES + readBytesFor(maxLineBytes) + 1);
}
