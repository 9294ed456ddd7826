import { open } from 'node:fs/promises';
import type { FileImage } from './replace-file.ts';

/** Up to this, one write call takes all of it. */
const ONE_WRITE_MAX = 0x7ffff000;

/**
 * Gives a file that is there new content and keeps its inode, for whoever has the file itself mounted. The new bytes come
 * in one write, then what was longer is cut off: a reader in between, or a kill, can see the two mixed, and the next run
 * writes it again. Never readable by more than before or after. Rejects with the system's error.
 */
export async function writeInPlace(path: string, { content, mode, uid, gid }: FileImage): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const before = await file.stat();
    if ((before.mode & 0o7777 & ~mode) !== 0) await file.chmod(before.mode & mode & 0o7777);
    if ((uid !== -1 && uid !== before.uid) || (gid !== -1 && gid !== before.gid)) await file.chown(uid, gid);
    for (let at = 0; at < content.byteLength;) {
      const { bytesWritten } = await file.write(content, at, Math.min(content.byteLength - at, ONE_WRITE_MAX), at);
      at += bytesWritten;
    }
    await file.truncate(content.byteLength);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}
