import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
} from 'node:fs';
import { chunksOf } from './content.ts';
import { writeAll, type FileImage } from './write-file.ts';

/**
 * Gives a file that is there new content and keeps its inode, for whoever has the file itself mounted. The new bytes come
 * in one write (those of a large file in several), then what was longer is cut off: a reader in between, or a kill, can see
 * the two mixed, and the next run writes it again. Never readable by more than before or after. A link is not followed.
 * Rejects with the system's error.
 */
export async function writeInPlace(path: string, { content, mode, uid, gid }: FileImage): Promise<void> {
  const fd = opened(path, mode);
  try {
    const before = fstatSync(fd);
    if ((before.mode & 0o7777 & ~mode) !== 0) fchmodSync(fd, before.mode & mode & 0o7777);
    if ((uid !== -1 && uid !== before.uid) || (gid !== -1 && gid !== before.gid)) fchownSync(fd, uid, gid);
    let at = 0;
    for (const chunk of chunksOf(content)) {
      writeAll(fd, chunk, at);
      at += chunk.byteLength;
    }
    ftruncateSync(fd, content.byteLength);
    // Only its owner may. A write or chown can have taken set-id bits away.
    if ((fstatSync(fd).mode & 0o7777) !== mode) fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const WRITES = constants.O_WRONLY | constants.O_NOFOLLOW;

/** Also what its owner may not write (0440): a file that is replaced whole asks for no more than the owner either. */
function opened(path: string, mode: number): number {
  try {
    return openSync(path, WRITES);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    const before = lstatSync(path, { throwIfNoEntry: false });
    if (!before?.isFile() || before.uid !== process.geteuid?.() || (before.mode & 0o200) !== 0) throw error;
    chmodSync(path, (before.mode & mode & 0o7777) | 0o200);
    return openSync(path, WRITES);
  }
}
