import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { bytesOf } from './content.ts';
import { prefixOf, staleBefore, temporaryName } from './temporary.ts';
import type { FileImage } from './write-file.ts';

/**
 * Puts a whole file in place, so that whoever reads it, and whenever we die, it is the old one or the new one. The
 * temporary begins with a dot and doesn't end in the file's suffix, so no `*.conf` of a service sees it; it is ours
 * alone until its owner is set, so a secret is never readable by others for a moment.
 * Rejects with the system's error: EBUSY when the file is itself a mount point.
 */
export async function replaceFile(path: string, image: FileImage): Promise<void> {
  const directory = dirname(path);
  await removeStale(directory, basename(path));
  try {
    await writeAndRename(path, image);
  } catch (error) {
    // Another run that began meanwhile took our temporary for a dead one's.
    if ((error as NodeJS.ErrnoException).syscall !== 'rename' || (error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw error;
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
      // After chown, which takes setuid and setgid away.
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

/** Beside the file, and never the same twice: it is opened so that an existing one is an error, and no link is followed. */
export function temporaryFor(path: string): string {
  return join(dirname(path), temporaryName(basename(path)));
}

/** Removes the temporaries of dead runs that wanted to put this name in place. */
export async function removeStale(directory: string, name: string): Promise<void> {
  const prefix = prefixOf(name);
  const before = staleBefore();
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith(prefix) || !/^[0-9a-f]{6}$/.test(entry.slice(prefix.length))) continue;
    const found = await stat(join(directory, entry)).catch(() => undefined);
    if (found?.isFile() && found.mtimeMs < before) await rm(join(directory, entry), { force: true });
  }
}

/** A name that was given or taken there holds when the power fails. Rejects with the system's error. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
