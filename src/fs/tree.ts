import { closeSync, constants, fstatSync, fsyncSync, openSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { ignoreAbsent } from './absent.ts';
import { lookAt } from './access.ts';
import {
  chmodHeld,
  chownHeld,
  listAt,
  lstatAt,
  mkdirAt,
  O_PATH,
  openAt,
  readlinkAt,
  renameAt,
  rmdirAt,
  symlinkAt,
  unlinkAt,
} from '#at';
import { holds, readHeld, type Content, type ReadFile } from './content.ts';
import { fillFile, type FileImage } from './write-file.ts';
import { isWithin } from './within.ts';

const HANDLE = O_PATH | constants.O_DIRECTORY;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** An open object. It stays the same if another object takes its name. A link itself is opened, not its target. */
export class Handle implements Disposable {
  /** The path as it was opened, for messages. */
  readonly path: string;
  readonly fd: number;

  constructor(path: string, fd: number) {
    this.path = path;
    this.fd = fd;
  }

  stat(): Stats {
    return fstatSync(this.fd);
  }

  /** An ID of -1 is kept. */
  chown(uid: number, gid: number): void {
    chownHeld(this, uid, gid);
  }

  /** Sets the mode of a file or directory. */
  chmod(mode: number): void {
    chmodHeld(this, mode);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/**
 * An open directory. Operations act on it even if another object takes its name or that of a parent. Each name is one
 * entry in it, and links are not followed. Throws the system's errors, with user-visible paths.
 */
export class Directory extends Handle {
  /** Opens a directory. Links in the path are followed. */
  static open(path: string): Directory {
    return new Directory(path, openSync(path, HANDLE));
  }

  /** Opens a path below `root` without links; a link gives ENOTDIR. */
  static below(root: string, path: string): Directory {
    const names = path.slice(root === '/' ? 0 : root.length).split('/');
    return descend(Directory.open(root), names, (directory, name) => directory.open(name));
  }

  /**
   * Opens a path below `root` that may contain links within it. Throws RangeError if a link leads outside.
   * @param root without links
   * @param makes the mode of missing directories; undefined: an error
   */
  static inside(root: string, path: string, makes?: number): Directory {
    const missing: string[] = [];
    let there = path;
    if (makes !== undefined)
      for (; there !== root && lookAt(there) === undefined; there = dirname(there)) missing.unshift(basename(there));
    const real = realpathSync.native(there);
    if (!isWithin(root, real)) throw new RangeError(`${there} is a link to ${real}, outside of ${root}`);
    return descend(Directory.below(root, real), missing, (directory, name) => {
      directory.make(name, makes ?? 0);
      return directory.open(name);
    });
  }

  /** Opens a subdirectory. */
  open(name: string): Directory {
    return new Directory(childPath(this.path, name), openAt(this, name, HANDLE | constants.O_NOFOLLOW));
  }

  /** Opens a relative path without links; a link gives ENOTDIR. */
  openBelow(path: string): Directory {
    return descend(this.open('.'), path.split('/'), (directory, name) => directory.open(name));
  }

  /** Undefined if the name is missing. */
  hold(name: string): Handle | undefined {
    try {
      return this.#hold(name);
    } catch (error) {
      return ignoreAbsent(error);
    }
  }

  list(): string[] {
    return listAt(this);
  }

  /** Undefined if the name is missing. */
  lstat(name: string): Stats | undefined {
    return lstatAt(this, name);
  }

  readlink(name: string): string {
    return readlinkAt(this, name);
  }

  /**
   * The current content of a regular file; undefined for another kind of object. A large file can be read while this
   * directory is open.
   */
  read(name: string): ReadFile | undefined {
    return this.#reading(name, (fd) => readHeld(fd, childPath(this.path, name), () => openAt(this, name, READ)));
  }

  /** Whether a file has that content. It is compared in chunks. */
  holds(name: string, content: Content): boolean {
    return this.#reading(name, (fd) => holds(fd, content));
  }

  /** Creates a directory unless the name exists. */
  make(name: string, mode: number): void {
    try {
      mkdirAt(this, name, mode);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Creates a file, writes it in chunks and syncs it. EEXIST if the name exists. */
  create(name: string, image: FileImage): void {
    const fd = openAt(this, name, NEW_FILE, 0o600);
    try {
      fillFile(fd, image);
    } finally {
      closeSync(fd);
    }
  }

  link(name: string, target: string): void {
    symlinkAt(this, name, target);
  }

  /** Renames, replacing an existing `to`. */
  rename(from: string, to: string): void {
    renameAt(this, from, to);
  }

  /** Changes the mode of a file or directory. A plain chmod would follow a link. */
  setMode(name: string, mode: number): void {
    using handle = this.#hold(name);
    handle.chmod(mode);
  }

  unlink(name: string): void {
    unlinkAt(this, name);
  }

  /** Throws ENOTEMPTY if it is not empty. */
  rmdir(name: string): void {
    rmdirAt(this, name);
  }

  /** Removes recursively. A missing name counts as removed. */
  remove(name: string): void {
    const found = this.lstat(name);
    if (found?.isDirectory()) {
      using directory = this.open(name);
      for (const child of directory.list()) directory.remove(child);
      this.rmdir(name);
    } else if (found !== undefined) this.unlink(name);
  }

  /** Syncs the directory, so that created and removed names survive a power loss. */
  sync(): void {
    const fd = openAt(this, '.', constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  #hold(name: string): Handle {
    return new Handle(childPath(this.path, name), openAt(this, name, O_PATH | constants.O_NOFOLLOW));
  }

  /** A FIFO in place of a file reads as empty; without O_NONBLOCK, opening it would wait for a writer. */
  #reading<T>(name: string, read: (fd: number) => T): T {
    const fd = openAt(this, name, READ);
    try {
      return read(fd);
    } finally {
      closeSync(fd);
    }
  }
}

/** For names without a slash, because join() would scan each character. */
function childPath(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}

/** Opens each component from the previous directory, which is then closed. */
function descend(
  top: Directory,
  names: readonly string[],
  step: (directory: Directory, name: string) => Directory,
): Directory {
  let directory = top;
  for (const name of names.filter((one) => one !== '')) {
    using above = directory;
    directory = step(above, name);
  }
  return directory;
}
