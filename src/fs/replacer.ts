import { basename, dirname } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { staleBefore, temporaryName } from './temporary.ts';
import { Directory } from './tree.ts';
import type { FileImage } from './write-file.ts';

/**
 * Replaces many files and links, each like replaceFile, but synchronously, since promises and threads would cost more
 * than the work. Each directory is scanned for stale temporary files once, and synced once, by `sync`: a run of ten
 * thousand files reads no directory ten thousand times. Throws the system's error; files not renamed by then are
 * removed.
 */
export class Replacer {
  readonly #directories = new Set<string>();
  readonly #open: (directory: string) => Directory;

  /**
   * @param open opens a directory, following links or not, as the caller trusts them
   */
  constructor(open: (directory: string) => Directory = (directory) => Directory.open(directory)) {
    this.#open = open;
  }

  replace(path: string, image: FileImage): void {
    this.#in(path, (directory) => putFile(directory, basename(path), image));
  }

  link(path: string, target: string): void {
    this.#in(path, (directory) => putLink(directory, basename(path), target));
  }

  #in(path: string, act: (directory: Directory) => void): void {
    using directory = this.#open(dirname(path));
    if (!this.#directories.has(directory.path)) removeStale(directory);
    this.#directories.add(directory.path);
    act(directory);
  }

  /** Prevents the old names from returning after a power loss. */
  sync(): void {
    for (const path of this.#directories) {
      using directory = this.#open(path);
      directory.sync();
    }
    this.#directories.clear();
  }
}

/** Replaces one file durably. Throws like Replacer. */
export function replace(path: string, image: FileImage): void {
  const replacer = new Replacer();
  replacer.replace(path, image);
  replacer.sync();
}

/** Replaces a file atomically: even if we are killed, readers see either the old or the new file. */
export function putFile(directory: Directory, name: string, image: FileImage): void {
  put(directory, name, (temporary) => directory.create(temporary, image));
}

/** Replaces a link in the same way. */
export function putLink(directory: Directory, name: string, target: string): void {
  put(directory, name, (temporary) => directory.link(temporary, target));
}

/** @param make creates the complete object under a private name */
function put(directory: Directory, name: string, make: (temporary: string) => void): void {
  try {
    makeAndRename(directory, name, make);
  } catch (error) {
    // A concurrent run considered our temporary file stale and removed it.
    if ((error as NodeJS.ErrnoException).syscall !== 'rename' || codeOf(error) !== 'ENOENT') throw error;
    makeAndRename(directory, name, make);
  }
}

function makeAndRename(directory: Directory, name: string, make: (temporary: string) => void): void {
  const temporary = temporaryName(name);
  try {
    make(temporary);
    directory.rename(temporary, name);
  } catch (error) {
    // An existing file with this name belongs to another run.
    if (codeOf(error) !== 'EEXIST') directory.remove(temporary);
    throw error;
  }
}

/** Removes stale temporary files. */
export function removeStale(directory: Directory): void {
  const before = staleBefore();
  for (const name of directory.list()) {
    if (!/^\..*\.kolla-[0-9a-f]{6}$/.test(name)) continue;
    const found = directory.lstat(name);
    if (found && (found.isFile() || found.isSymbolicLink()) && found.mtimeMs < before) directory.remove(name);
  }
}
