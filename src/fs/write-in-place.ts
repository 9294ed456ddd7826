import { constants } from 'node:fs';
import { chmod, open, stat, type FileHandle } from 'node:fs/promises';
import type { FileImage } from './replace-file.ts';

/** Up to this, one write call takes all of it. */
const ONE_WRITE_MAX = 0x7ffff000;

/**
 * Gives a file that is there new content and keeps its inode, for whoever has the file itself mounted. The new bytes come
 * in one write, then what was longer is cut off: a reader in between, or a kill, can see the two mixed, and the next run
 * writes it again. Never readable by more than before or after. Rejects with the system's error.
 */
export async function writeInPlace(path: string, { content, mode, uid, gid }: FileImage): Promise<void> {
  const file = await opened(path, mode);
  try {
    const before = await file.stat();
    if ((before.mode & 0o7777 & ~mode) !== 0) await file.chmod(before.mode & mode & 0o7777);
    if ((uid !== -1 && uid !== before.uid) || (gid !== -1 && gid !== before.gid)) await file.chown(uid, gid);
    for (let at = 0; at < content.byteLength;) {
      const { bytesWritten } = await file.write(content, at, Math.min(content.byteLength - at, ONE_WRITE_MAX), at);
      at += bytesWritten;
    }
    await file.truncate(content.byteLength);
    // Only its owner may. A write or chown can have taken set-id bits away.
    if (((await file.stat()).mode & 0o7777) !== mode) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Also what its owner may not write (0440): a file that is replaced whole asks for no more than the owner either. */
async function opened(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, constants.O_WRONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    const before = await stat(path).catch(() => undefined);
    if (before === undefined || before.uid !== process.geteuid?.() || (before.mode & 0o200) !== 0) throw error;
    await chmod(path, (before.mode & mode & 0o7777) | 0o200);
    return await open(path, constants.O_WRONLY);
  }
}
