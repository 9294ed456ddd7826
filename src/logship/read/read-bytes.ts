/** At once, of a file. */
export const CHUNK_BYTES = 256 * 1024;

/** What a reader has in memory, whatever it reads. */
export function readBytesFor(maxLineBytes: number): number {
  return Math.max(CHUNK_BYTES, maxLineBytes);
}
