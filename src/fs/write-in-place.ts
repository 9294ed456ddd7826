import { closeSync, constants, fchmodSync, fchownSync, fstatSync, fsyncSync, ftruncateSync } from 'node:fs';
import { codeOf } from '../core/errors.ts';
import { openAt } from '#at';
import { chunksOf, LargeFile, type Content } from './content.ts';
import type { Directory } from './tree.ts';
import { writeAll, type FileImage } from './write-file.ts';

/**
 * Replaces an existing file's content and keeps its inode, for processes that have the file itself mounted. The new
 * bytes are one write (several for a large file), then the rest is truncated: a reader in between, or after a kill, can
 * see a mix, and the next run writes it again. If there is no room, a file of up to 1 MiB keeps its old content. Never
 * readable by more users than before or after. Links are not followed. Rejects with the system's error.
 */
export function writeInPlace(directory: Directory, name: string, { content, mode, uid, gid }: FileImage): void {
  const fd = opened(directory, name, mode);
  try {
    const before = fstatSync(fd);
    if ((before.mode & 0o7777 & ~mode) !== 0) fchmodSync(fd, before.mode & mode & 0o7777);
    if ((uid !== -1 && uid !== before.uid) || (gid !== -1 && gid !== before.gid)) fchownSync(fd, uid, gid);
    const old = oldContent(directory, name);
    try {
      fill(fd, content);
    } catch (error) {
      // A full disk. The old blocks are allocated, so the old content has room.
      if (old !== undefined) fill(fd, old);
      throw error;
    }
    // Only the owner may change the mode. A write or chown may have cleared set-id bits.
    if ((fstatSync(fd).mode & 0o7777) !== mode) fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function fill(fd: number, content: Content): void {
  let at = 0;
  for (const chunk of chunksOf(content)) {
    writeAll(fd, chunk, at);
    at += chunk.byteLength;
  }
  ftruncateSync(fd, content.byteLength);
}

/** Undefined if the file is large, or not readable. */
function oldContent(directory: Directory, name: string): Uint8Array | undefined {
  try {
    const content = directory.read(name)?.content;
    return content instanceof LargeFile ? undefined : content;
  } catch {
    return undefined;
  }
}

const WRITES = constants.O_WRONLY | constants.O_NOFOLLOW;

/** Also opens a file of ours that is not writable (0440): replacing the file would not need write permission either. */
function opened(directory: Directory, name: string, mode: number): number {
  try {
    return openAt(directory, name, WRITES);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    const before = directory.lstat(name);
    if (!before?.isFile() || before.uid !== process.geteuid?.() || (before.mode & 0o200) !== 0) throw error;
    directory.setMode(name, (before.mode & mode & 0o7777) | 0o200);
    return openAt(directory, name, WRITES);
  }
}
