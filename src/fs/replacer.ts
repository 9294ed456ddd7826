import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  futimesSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { staleBefore, temporaryFor, type FileImage } from './replace-file.ts';

/** What a link shall be in the end. An id of -1 is left as the file system gives it. */
export interface LinkImage {
  readonly target: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Puts many whole files and links in place, each as replaceFile does, without a thread or a promise in between, which cost more than
 * the work. Each folder is looked through for what dead runs left once, and synced once, by `sync`: a run of ten thousand files
 * reads no folder ten thousand times. Throws the system's error; what was not renamed by then is removed again.
 */
export class Replacer {
  readonly #folders = new Set<string>();

  replace(path: string, image: FileImage): void {
    this.#put(path, (temporary) => write(temporary, image));
  }

  /** Whoever reads the link, and whenever we die, finds the old one or the new one. */
  link(path: string, { target, uid, gid }: LinkImage): void {
    this.#put(path, (temporary) => {
      symlinkSync(target, temporary);
      if (uid !== -1 || gid !== -1) lchownSync(temporary, uid, gid);
    });
  }

  /** @param make the whole of it, under a name that is ours alone */
  #put(path: string, make: (temporary: string) => void): void {
    const folder = dirname(path);
    if (!this.#folders.has(folder)) removeStale(folder);
    this.#folders.add(folder);
    try {
      makeAndRename(path, make);
    } catch (error) {
      // Another run that began meanwhile took our temporary for a dead one's.
      if ((error as NodeJS.ErrnoException).syscall !== 'rename' || (error as NodeJS.ErrnoException).code !== 'ENOENT')
        throw error;
      makeAndRename(path, make);
    }
  }

  /** So that no loss of power brings back the old names. */
  sync(): void {
    for (const folder of this.#folders) {
      const fd = openSync(folder, 'r');
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    }
    this.#folders.clear();
  }
}

function makeAndRename(path: string, make: (temporary: string) => void): void {
  const temporary = temporaryFor(path);
  try {
    make(temporary);
    renameSync(temporary, path);
  } catch (error) {
    // One that was there already is another run's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(temporary, { force: true });
    throw error;
  }
}

function write(path: string, { content, mode, uid, gid, times }: FileImage): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(fd, content);
    if (uid !== -1 || gid !== -1) fchownSync(fd, uid, gid);
    // After chown, which takes setuid and setgid away.
    fchmodSync(fd, mode);
    if (times !== undefined) futimesSync(fd, times.atime, times.mtime);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeStale(folder: string): void {
  const before = staleBefore();
  for (const name of readdirSync(folder)) {
    if (!/^\..*\.kolla-[0-9a-f]{6}$/.test(name)) continue;
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (found && (found.isFile() || found.isSymbolicLink()) && found.mtimeMs < before)
      rmSync(join(folder, name), { force: true });
  }
}
