import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { bytesOf } from './content.ts';
import { prefixOf, staleBefore, temporaryName } from './temporary.ts';
import type { FileImage } from './write-file.ts';

/**
 * Replaces a file atomically: even if we are killed, readers see either the old or the new file. The temporary file
 * starts with a dot and lacks the suffix, so no service's `*.conf` matches it; it is private until its owner is set, so
 * a secret is never readable by others. Rejects with the system's error: EBUSY if the file is a mount point.
 */
export async function replaceFile(path: string, image: FileImage): Promise<void> {
  const directory = dirname(path);
  await removeStale(directory, basename(path));
  try {
    await writeAndRename(path, image);
  } catch (error) {
    // A concurrent run considered our temporary file stale and removed it.
    if ((error as NodeJS.ErrnoException).syscall !== 'rename' || codeOf(error) !== 'ENOENT') throw error;
    await writeAndRename(path, image);
  }
  await syncDirectory(directory);
}

async function writeAndRename(path: string, { content, mode, uid, gid, times }: FileImage): Promise<void> {
  const temporary = temporaryFor(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(bytesOf(content));
      if (uid !== -1 || gid !== -1) await file.chown(uid, gid);
      // Set after chown, which clears setuid and setgid.
      await file.chmod(mode);
      if (times !== undefined) await file.utimes(times.atime, times.mtime);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A unique name in the same directory. The file is opened exclusively and without following links. */
export function temporaryFor(path: string): string {
  return join(dirname(path), temporaryName(basename(path)));
}

/** Removes stale temporary files for this name. */
export async function removeStale(directory: string, name: string): Promise<void> {
  const prefix = prefixOf(name);
  const before = staleBefore();
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith(prefix) || !/^[0-9a-f]{6}$/.test(entry.slice(prefix.length))) continue;
    const found = await stat(join(directory, entry)).catch(() => undefined);
    if (found?.isFile() && found.mtimeMs < before) await rm(join(directory, entry), { force: true });
  }
}

/** Syncs a directory, so that created and removed names survive a power loss. Rejects with the system's error. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
