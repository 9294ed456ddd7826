/** A position at which a text can be cut without splitting a UTF-8 character: `end`, or up to three bytes before it. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at--) {
    const next = bytes[at];
    if (next === undefined || (next & 0b1100_0000) !== 0b1000_0000) return at;
  }
  return end;
}

/**
 * The offset after the NUL bytes that start here. Loggers do not write NULs: a writer without O_APPEND leaves a hole
 * when its file was truncated and it continues at its old offset.
 */
export function skipNuls(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0) at++;
  return at;
}

/** Block size of file systems, for reclaiming. */
export const BLOCK_BYTES = 4096;
/** Size of the start of a file that is never reclaimed, because it identifies the file. */
export const NEVER_GIVEN_BACK_BYTES = 64 * 1024;

const NULS = Buffer.alloc(BLOCK_BYTES);

/**
 * Finds the start of a hole punched by `--reclaim`: whole blocks of NULs, right after a logger's bytes. A reader meets
 * one when it reads acknowledged lines again, because the checkpoint is lost or the destination is new. (A writer
 * without O_APPEND also leaves one after a truncation: at the start, or not after a whole block.)
 * @param position of the chunk in its file, at the start of a line
 * @param before the byte before it
 * @returns the index in the chunk, or -1
 */
export function holeIn(chunk: Buffer, position: number, before: number | undefined): number {
  const first = Math.max(NEVER_GIVEN_BACK_BYTES, Math.ceil(position / BLOCK_BYTES) * BLOCK_BYTES);
  for (let at = first - position; at + BLOCK_BYTES <= chunk.length; at += BLOCK_BYTES) {
    if (chunk[at] !== 0 || (at === 0 ? before : chunk[at - 1]) === 0) continue;
    if (chunk.compare(NULS, 0, BLOCK_BYTES, at, at + BLOCK_BYTES) === 0) return at;
  }
  return -1;
}

/** Number of bytes per read of a file. */
export const CHUNK_BYTES = 256 * 1024;

/** Maximum number of bytes per read, in a buffer that all files of a reader share. */
export function readBytesFor(maxLineBytes: number): number {
  return Math.max(CHUNK_BYTES, maxLineBytes);
}
