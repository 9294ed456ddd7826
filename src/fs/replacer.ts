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
 * the work. Each directory is looked through for what dead runs left once, and synced once, by `sync`: a run of ten thousand files
 * reads no directory ten thousand times. Throws the system's error; what was not renamed by then is removed again.
 */
export class Replacer {
  readonly #directories = new Set<string>();
  readonly #open: (directory: string) => Directory;

  /** @param open holds a directory, by links or without, as the caller trusts them */
  constructor(open: (directory: string) => Directory = (directory) => Directory.open(directory)) {
    this.#open = open;
  }

  replace(path: string, image: FileImage): void {
    this.#in(path, (directory) => putFile(directory, basename(path), image));
  }

  link(path: string, image: LinkImage): void {
    this.#in(path, (directory) => putLink(directory, basename(path), image));
  }

  #in(path: string, act: (directory: Directory) => void): void {
    using directory = this.#open(dirname(path));
    if (!this.#directories.has(directory.path)) removeStale(directory);
    this.#directories.add(directory.path);
    act(directory);
  }

  /** So that no loss of power brings back the old names. */
  sync(): void {
    for (const path of this.#directories) {
      using directory = this.#open(path);
      directory.sync();
    }
    this.#directories.clear();
  }
}

/** Puts one whole file in place, and lets no loss of power bring back the old one. Throws as Replacer's does. */
export function replace(path: string, image: FileImage): void {
  const replacer = new Replacer();
  replacer.replace(path, image);
  replacer.sync();
}

/** Puts a whole file in place: whoever reads it, and whenever we die, finds the old one or the new one. */
export function putFile(directory: Directory, name: string, image: FileImage): void {
  put(directory, name, (temporary) => directory.create(temporary, image));
}

/** The same of a link. */
export function putLink(directory: Directory, name: string, { target, uid, gid }: LinkImage): void {
  put(directory, name, (temporary) => {
    directory.link(temporary, target);
    if (uid !== -1 || gid !== -1) directory.own(temporary, uid, gid);
  });
}

/** @param make the whole of it, under a name that is ours alone */
function put(directory: Directory, name: string, make: (temporary: string) => void): void {
  try {
    makeAndRename(directory, name, make);
  } catch (error) {
    // Another run that began meanwhile took our temporary for a dead one's.
    if ((error as NodeJS.ErrnoException).syscall !== 'rename' || (error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw error;
    makeAndRename(directory, name, make);
  }
}

function makeAndRename(directory: Directory, name: string, make: (temporary: string) => void): void {
  const temporary = temporaryName(name);
  try {
    make(temporary);
    directory.rename(temporary, name);
  } catch (error) {
    // One that was there already is another run's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') directory.remove(temporary);
    throw error;
  }
}

/** Removes what dead runs left of their temporaries. */
export function removeStale(directory: Directory): void {
  const before = staleBefore();
  for (const name of directory.list()) {
    if (!/^\..*\.kolla-[0-9a-f]{6}$/.test(name)) continue;
    const found = directory.lstat(name);
    if (found && (found.isFile() || found.isSymbolicLink()) && found.mtimeMs < before) directory.remove(name);
  }
}
