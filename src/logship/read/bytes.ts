/** Where to cut so that no UTF-8 character is cut: at `end` or up to three bytes before. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4 && at > 0; at--) {
    const next = bytes[at];
    if (next === undefined || (next & 0b1100_0000) !== 0b1000_0000) return at;
  }
  return end;
}

/**
 * Behind the NUL bytes that begin here. No logger writes them: they are the hole that a writer leaves who does not
 * append, when his file was truncated and he goes on at his old place.
 */
export function skipNuls(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0) at++;
  return at;
}

/** What file systems reclaim at a time. */
export const BLOCK_BYTES = 4096;
/** Nothing before it is ever reclaimed: a file's identity is there. */
export const NEVER_GIVEN_BACK_BYTES = 64 * 1024;

const NULS = Buffer.alloc(BLOCK_BYTES);

/**
 * Where a hole begins that `--reclaim` made: whole blocks of NULs, right behind what a logger wrote. Who reads a file from its
 * beginning though lines of it were acknowledged, because the checkpoint is lost or the destination is new, meets one.
 * (A writer that does not append after a truncation leaves one as well: at the beginning, or behind no whole block.)
 * @param position of the chunk in its file, where a line begins
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

/** At once, of a file. */
export const CHUNK_BYTES = 256 * 1024;

/** What a reader has in memory, whatever it reads. */
export function readBytesFor(maxLineBytes: number): number {
  return Math.max(CHUNK_BYTES, maxLineBytes);
}
