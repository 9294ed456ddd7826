import { closeSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync, constants as zlib } from 'node:zlib';
import { HEAD_BYTES } from './generation.ts';
import { withPrefix, type Listing } from './listing.ts';

/** What logrotate and others add to a name: `.1`, `-20261121`, `.2026-11-21`. */
const ROTATED = /[.-]\d[\d.:_T-]*$/;
const COMPRESSED = /\.(gz|bz2|xz|zst|lz4|lzma|zip|Z)$/;

/** A file beside one that is followed, whose name begins with that one's. */
export interface Sibling {
  readonly at: string;
  readonly stat: Stats;
  /** It has the name of an older content, and is not compressed. */
  readonly isRotated: boolean;
}

/** Of two of the same instant `.2` is older than `.1`. */
const BY_NAME = new Intl.Collator('en', { numeric: true });

/** What rotation may have made of a file, as its folder was listed, the oldest first. */
export function siblingsIn(listing: Listing, path: string): readonly Sibling[] {
  const name = basename(path);
  return withPrefix(listing, name)
    .filter((other) => other.name !== name)
    .map((other) => {
      const at = join(dirname(path), other.name);
      return { at, stat: other.stat, isRotated: baseOf(at) === path };
    })
    .toSorted((a, b) => a.stat.mtimeMs - b.stat.mtimeMs || BY_NAME.compare(b.at, a.at));
}

/** The name that a rotated file was written at; undefined for a name that no rotation made, or that is compressed. */
export function baseOf(path: string): string | undefined {
  const base = path.replace(ROTATED, '');
  return base === path || isCompressed(path) ? undefined : base;
}

export function isCompressed(path: string): boolean {
  return COMPRESSED.test(path);
}

/** The beginning and the size of what was compressed by gzip. Undefined when it is no such file. */
export function unzippedHead(path: string): { readonly head: Buffer; readonly size: number } | undefined {
  const ENOUGH_BYTES = 4096;
  try {
    const fd = openSync(path, 'r');
    try {
      const start = Buffer.alloc(ENOUGH_BYTES);
      const read = readSync(fd, start, 0, ENOUGH_BYTES, 0);
      const plain = gunzipSync(start.subarray(0, read), { finishFlush: zlib.Z_SYNC_FLUSH });
      const { size } = statSync(path);
      const end = Buffer.alloc(4);
      readSync(fd, end, 0, 4, size - 4);
      // The format keeps the size modulo 4 GiB, RFC 1952.
      return { head: plain.subarray(0, HEAD_BYTES), size: end.readUInt32LE() };
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}
