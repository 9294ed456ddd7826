import { fchmodSync, fchownSync, fsyncSync, ftruncateSync, futimesSync, writeSync } from 'node:fs';
import { chunksOf, LargeFile, type Content } from './content.ts';

/** What a file shall be in the end. An id of -1 is left as the file system gives it. */
export interface FileImage {
  readonly content: Content;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since 1970, where an older time shall be kept. */
  readonly times?: { readonly atime: number; readonly mtime: number } | undefined;
}

/**
 * Makes a new file all of that. It is ours alone (0600) until its owner is set, so a secret is never readable by others for a
 * moment. Holes of a large file stay holes. Throws the system's error.
 */
export function fillFile(fd: number, { content, mode, uid, gid, times }: FileImage): void {
  let at = 0;
  for (const chunk of chunksOf(content)) {
    if (!(content instanceof LargeFile && isZero(chunk))) writeAll(fd, chunk, at);
    at += chunk.byteLength;
  }
  if (content instanceof LargeFile) ftruncateSync(fd, at);
  if (uid !== -1 || gid !== -1) fchownSync(fd, uid, gid);
  // After chown, which takes setuid and setgid away.
  fchmodSync(fd, mode);
  if (times !== undefined) futimesSync(fd, times.atime, times.mtime);
  fsyncSync(fd);
}

/** All of it, however much the system takes at once. */
export function writeAll(fd: number, chunk: Uint8Array, position: number): void {
  for (let at = 0; at < chunk.byteLength;) at += writeSync(fd, chunk, at, chunk.byteLength - at, position + at);
}

function isZero(chunk: Uint8Array): boolean {
  // Each byte is the one before it, and the first is 0.
  return chunk[0] === 0 && Buffer.compare(chunk.subarray(1), chunk.subarray(0, -1)) === 0;
}
