/** Compression, on both engines: src/engine/gzip.ts has the same by libdeflate. */
import { constants, gunzipSync, gzipSync } from 'node:zlib';

/** At the fastest level, since a request costs more time to compress than to send. */
export function gzip(bytes: Uint8Array): Buffer {
  return gzipSync(bytes, { level: constants.Z_BEST_SPEED });
}

/** More would only be unpacked in vain, up to a thousandfold. */
const ENOUGH_BYTES = 4096;

/**
 * The start of a gzip file's content.
 * @param start of the file; 72 KiB are enough for its header and any block
 * @param mostBytes maximum length of the result, which is shorter only if the content is
 * @throws Error if this is not gzip, or is damaged there
 */
export function gunzipStart(start: Uint8Array, mostBytes: number): Buffer {
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  return gunzipSync(start.subarray(0, ENOUGH_BYTES), options).subarray(0, mostBytes);
}
