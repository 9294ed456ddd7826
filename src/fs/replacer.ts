import { basename, dirname } from 'node:path';
import { staleBefore, temporaryName } from './temporary.ts';
import { Directory } from './tree.ts';
import type { FileImage } from './write-file.ts';

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
  readonly #open: (folder: string) => Directory;

  /** @param open holds a folder, by links or without, as the caller trusts them */
  constructor(open: (folder: string) => Directory = (folder) => Directory.open(folder)) {
    this.#open = open;
  }

  replace(path: string, image: FileImage): void {
    this.#in(path, (folder) => putFile(folder, basename(path), image));
  }

  link(path: string, image: LinkImage): void {
    this.#in(path, (folder) => putLink(folder, basename(path), image));
  }

  #in(path: string, act: (folder: Directory) => void): void {
    using folder = this.#open(dirname(path));
    if (!this.#folders.has(folder.path)) removeStale(folder);
    this.#folders.add(folder.path);
    act(folder);
  }

  /** So that no loss of power brings back the old names. */
  sync(): void {
    for (const path of this.#folders) {
      using folder = this.#open(path);
      folder.sync();
    }
    this.#folders.clear();
  }
}

/** Puts one whole file in place, and lets no loss of power bring back the old one. Throws as Replacer's does. */
export function replace(path: string, image: FileImage): void {
  const replacer = new Replacer();
  replacer.replace(path, image);
  replacer.sync();
}

/** Puts a whole file in place: whoever reads it, and whenever we die, finds the old one or the new one. */
export function putFile(folder: Directory, name: string, image: FileImage): void {
  put(folder, name, (temporary) => folder.create(temporary, image));
}

/** The same of a link. */
export function putLink(folder: Directory, name: string, { target, uid, gid }: LinkImage): void {
  put(folder, name, (temporary) => {
    folder.link(temporary, target);
    if (uid !== -1 || gid !== -1) folder.own(temporary, uid, gid);
  });
}

/** @param make the whole of it, under a name that is ours alone */
function put(folder: Directory, name: string, make: (temporary: string) => void): void {
  try {
    makeAndRename(folder, name, make);
  } catch (error) {
    // Another run that began meanwhile took our temporary for a dead one's.
    if ((error as NodeJS.ErrnoException).syscall !== 'rename' || (error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw error;
    makeAndRename(folder, name, make);
  }
}

function makeAndRename(folder: Directory, name: string, make: (temporary: string) => void): void {
  const temporary = temporaryName(name);
  try {
    make(temporary);
    folder.rename(temporary, name);
  } catch (error) {
    // One that was there already is another run's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') folder.remove(temporary);
    throw error;
  }
}

/** Removes what dead runs left of their temporaries. */
export function removeStale(folder: Directory): void {
  const before = staleBefore();
  for (const name of folder.list()) {
    if (!/^\..*\.kolla-[0-9a-f]{6}$/.test(name)) continue;
    const found = folder.lstat(name);
    if (found && (found.isFile() || found.isSymbolicLink()) && found.mtimeMs < before) folder.remove(name);
  }
}
