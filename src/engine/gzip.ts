/** src/core/gzip.ts by libdeflate (native/deflate.c). */
/** @throws Error without memory for the result */
export function gzip(bytes: Uint8Array): Buffer {
  const packed = sys.gzip(bytes);
  if (packed === undefined) throw new Error('cannot compress a request: out of memory');
  return Buffer.from(packed);
}

export function gunzipStart(start: Uint8Array, mostBytes: number): Buffer {
  const content = sys.gunzip(start, mostBytes);
  if (content === undefined) throw new Error('not a gzip file, or a damaged one');
  return Buffer.from(content);
}
