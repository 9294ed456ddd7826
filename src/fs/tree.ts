import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ignoreAbsent } from './absent.ts';
import {
  chmodAt,
  chmodHeld,
  chownAt,
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
} from './at.ts';
import { holds, readHeld, type Content, type ReadFile } from './content.ts';
import { fillFile, type FileImage } from './write-file.ts';
import { isWithin } from './within.ts';

const HANDLE = O_PATH | constants.O_DIRECTORY;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** A thing that is held, whatever takes its name. A link is held itself. */
export class Handle implements Disposable {
  /** As it was opened, for messages. */
  readonly path: string;
  readonly fd: number;

  constructor(path: string, fd: number) {
    this.path = path;
    this.fd = fd;
  }

  stat(): Stats {
    return fstatSync(this.fd);
  }

  /** An id of -1 stays. */
  chown(uid: number, gid: number): void {
    chownHeld(this, uid, gid);
  }

  /** Of a file or directory. */
  chmod(mode: number): void {
    chmodHeld(this, mode);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/**
 * A directory that is held: whatever takes its name, or the name of one above it, what is done in it is done there. Each
 * name is of one thing in it, and no link is followed. Throws the system's errors, with paths as a person knows them.
 */
export class Directory extends Handle {
  /** Links in the path are followed. */
  static open(path: string): Directory {
    return new Directory(path, openSync(path, HANDLE));
  }

  /** What lies below `root` without any link on the way: a link there is ENOTDIR. */
  static below(root: string, path: string): Directory {
    const names = path.slice(root === '/' ? 0 : root.length).split('/');
    return descend(Directory.open(root), names, (directory, name) => directory.open(name));
  }

  /**
   * The same where links may be on the way, if they stay within `root`. Throws RangeError for one that leads out of it.
   * @param root without links
   * @param makes the mode of what is missing on the way; undefined: an error
   */
  static inside(root: string, path: string, makes?: number): Directory {
    const missing: string[] = [];
    let there = path;
    if (makes !== undefined)
      for (; there !== root && !isThere(there); there = dirname(there)) missing.unshift(basename(there));
    const real = realpathSync.native(there);
    if (!isWithin(root, real)) throw new RangeError(`${there} is a link to ${real}, outside of ${root}`);
    return descend(Directory.below(root, real), missing, (directory, name) => {
      directory.make(name, makes ?? 0);
      return directory.open(name);
    });
  }

  /** A directory in this one. */
  open(name: string): Directory {
    return new Directory(childPath(this.path, name), openAt(this, name, HANDLE | constants.O_NOFOLLOW));
  }

  /** The one that a path leads to from here, without any link on the way: a link there is ENOTDIR. */
  openBelow(path: string): Directory {
    return descend(this.open('.'), path.split('/'), (directory, name) => directory.open(name));
  }

  /** Undefined for what isn't there. */
  hold(name: string): Handle | undefined {
    try {
      return new Handle(childPath(this.path, name), openAt(this, name, O_PATH | constants.O_NOFOLLOW));
    } catch (error) {
      return ignoreAbsent(error);
    }
  }

  list(): string[] {
    return listAt(this);
  }

  /** Undefined for what isn't there. */
  lstat(name: string): Stats | undefined {
    return lstatAt(this, name);
  }

  readlink(name: string): string {
    return readlinkAt(this, name);
  }

  /** A file there, as it is now; undefined for anything else that is there. A large one is read while this is held. */
  read(name: string): ReadFile | undefined {
    return this.#reading(name, (fd) => readHeld(fd, childPath(this.path, name), () => openAt(this, name, READ)));
  }

  /** Whether a file there holds that, compared in chunks. */
  holds(name: string, content: Content): boolean {
    return this.#reading(name, (fd) => holds(fd, content));
  }

  /** Makes a directory, unless something of that name is there. */
  make(name: string, mode: number): void {
    try {
      mkdirAt(this, name, mode);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }

  /** A new file, written in chunks and synced; EEXIST for whatever has the name. */
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

  /** Takes the place of what is at `to`. */
  rename(from: string, to: string): void {
    renameAt(this, from, to);
  }

  /** Of a link, its own. An id of -1 stays. */
  own(name: string, uid: number, gid: number): void {
    chownAt(this, name, uid, gid);
  }

  /** Of a file or directory; chmod alone would follow a link. */
  setMode(name: string, mode: number): void {
    chmodAt(this, name, mode);
  }

  unlink(name: string): void {
    unlinkAt(this, name);
  }

  /** Throws ENOTEMPTY for one that something is left in. */
  rmdir(name: string): void {
    rmdirAt(this, name);
  }

  /** With all that is in it. What isn't there is removed already. */
  remove(name: string): void {
    const found = this.lstat(name);
    if (found?.isDirectory()) {
      using directory = this.open(name);
      for (const child of directory.list()) directory.remove(child);
      this.rmdir(name);
    } else if (found !== undefined) this.unlink(name);
  }

  /** The names that were given or taken here hold when the power fails. */
  sync(): void {
    const fd = openAt(this, '.', constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** A pipe that took the place of a file reads as empty: without O_NONBLOCK, opening it waits for a writer. */
  #reading<T>(name: string, read: (fd: number) => T): T {
    const fd = openAt(this, name, READ);
    try {
      return read(fd);
    } finally {
      closeSync(fd);
    }
  }
}

/** Of a name without a slash: join() would look at each character. */
function childPath(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}

/** Each step with the directory before, which is closed after it. */
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

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return ignoreAbsent(error) ?? false;
  }
}
