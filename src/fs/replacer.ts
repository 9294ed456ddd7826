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
export class Replacer implements Disposable {
  readonly #root: string | undefined;
  readonly #makes: number | undefined;
  /** The directories that are to be synced. */
  readonly #changed = new Set<string>();
  /** The last directory, since many files share one. Its path is not checked again. */
  #last: { readonly path: string; readonly directory: Directory } | undefined;

  /**
   * @param root root of all paths, as in Directory.inside; without one, links in paths are trusted
   * @param makes the mode of missing directories below the root; undefined: an error
   */
  constructor(root?: string, makes?: number) {
    this.#root = root;
    this.#makes = makes;
  }

  replace(path: string, image: FileImage): void {
    putFile(this.#directoryOf(path), basename(path), image);
  }

  link(path: string, target: string): void {
    putLink(this.#directoryOf(path), basename(path), target);
  }

  /** Prevents the old names from returning after a power loss. */
  sync(): void {
    for (const path of this.#changed) this.#open(path).sync();
    this.#changed.clear();
  }

  [Symbol.dispose](): void {
    this.#last?.directory[Symbol.dispose]();
    this.#last = undefined;
  }

  #directoryOf(path: string): Directory {
    const directory = this.#open(dirname(path));
    if (!this.#changed.has(directory.path)) removeStale(directory);
    this.#changed.add(directory.path);
    return directory;
  }

  #open(path: string): Directory {
    if (this.#last?.path === path) return this.#last.directory;
    this[Symbol.dispose]();
    const directory = this.#root === undefined ? Directory.open(path) : Directory.inside(this.#root, path, this.#makes);
    this.#last = { path, directory };
    return directory;
  }
}

/** Replaces one file durably. Throws like Replacer. */
export function replace(path: string, image: FileImage): void {
  using replacer = new Replacer();
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
