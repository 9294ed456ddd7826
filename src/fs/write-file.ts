import { fchmodSync, fchownSync, fsyncSync, ftruncateSync, futimesSync, writeSync } from 'node:fs';
import { chunksOf, LargeFile, type Content } from './content.ts';

/** Makes a change of owner or mode. May report a refusal instead of throwing it, and so keep the file. */
export type TryAccess = (what: 'owner' | 'mode', change: () => void) => void;

/** The final state of a file. An ID of -1 keeps the file system's default. */
export interface FileImage {
  readonly content: Content;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Time in seconds since the epoch, to preserve it. */
  readonly times?: { readonly atime: number; readonly mtime: number } | undefined;
  /** By default a refusal is thrown. */
  readonly tries?: TryAccess | undefined;
}

/**
 * Writes a new file. It is private (0600) until its owner is set, so a secret is never readable by others. Holes of a
 * large file are preserved. Throws the system's error.
 */
export function fillFile(fd: number, { content, mode, uid, gid, times, tries = throwRefusal }: FileImage): void {
  let at = 0;
  for (const chunk of chunksOf(content)) {
    if (!(content instanceof LargeFile && isZero(chunk))) writeAll(fd, chunk, at);
    at += chunk.byteLength;
  }
  if (content instanceof LargeFile) ftruncateSync(fd, at);
  if (uid !== -1 || gid !== -1) tries('owner', () => fchownSync(fd, uid, gid));
  // Set after chown, which clears setuid and setgid.
  tries('mode', () => fchmodSync(fd, mode));
  if (times !== undefined) futimesSync(fd, times.atime, times.mtime);
  fsyncSync(fd);
}

/** The default of `tries`. */
export function throwRefusal(_: 'owner' | 'mode', change: () => void): void {
  change();
}

/** Writes all bytes, even if the system accepts only a part at once. */
export function writeAll(fd: number, chunk: Uint8Array, position: number): void {
  for (let at = 0; at < chunk.byteLength;) at += writeSync(fd, chunk, at, chunk.byteLength - at, position + at);
}

function isZero(chunk: Uint8Array): boolean {
  // True if each byte equals the one before it, and the first byte is 0.
  return chunk[0] === 0 && Buffer.compare(chunk.subarray(1), chunk.subarray(0, -1)) === 0;
}
