import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ignoreAbsent } from './absent.ts';
import { holds, type Content } from './content.ts';
import { writeFileAt, type FileImage } from './write-file.ts';
import { isWithin } from './within.ts';

/** Names a place without opening it, so that a directory needs only be searchable. Node has no name for the flag. */
const O_PATH = 0o10_000_000;
const HANDLE = O_PATH | constants.O_DIRECTORY;

/**
 * A directory that is held: whatever takes its name, or the name of one above it, what is done in it is done there. Each
 * name is of one thing in it, and no link is followed. Throws the system's errors, with paths as a person knows them.
 */
export class Directory implements Disposable {
  /** As it was opened, for messages. */
  readonly path: string;
  readonly #fd: number;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

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
    return this.#do(name, (at) => new Directory(join(this.path, name), openSync(at, HANDLE | constants.O_NOFOLLOW)));
  }

  list(): string[] {
    return this.#do('.', (at) => readdirSync(at));
  }

  /** Undefined for what isn't there. */
  lstat(name: string): Stats | undefined {
    return this.#do(name, (at) => lstatSync(at, { throwIfNoEntry: false }));
  }

  readlink(name: string): string {
    return this.#do(name, (at) => readlinkSync(at));
  }

  /** Whether a file there holds that, compared in chunks. */
  holds(name: string, content: Content): boolean {
    return this.#do(name, (at) => holds(at, content));
  }

  /** Makes a directory, unless something of that name is there. */
  make(name: string, mode: number): void {
    try {
      this.#do(name, (at) => mkdirSync(at, { mode }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }

  /** A new file, written in chunks and synced; EEXIST for whatever has the name. */
  create(name: string, image: FileImage): void {
    this.#do(name, (at) => writeFileAt(at, image));
  }

  link(name: string, target: string): void {
    this.#do(name, (at) => symlinkSync(target, at));
  }

  /** Takes the place of what is at `to`. */
  rename(from: string, to: string): void {
    this.#do(to, (at) => renameSync(this.#at(from), at));
  }

  /** Of a link, its own. An id of -1 stays. */
  own(name: string, uid: number, gid: number): void {
    this.#do(name, (at) => lchownSync(at, uid, gid));
  }

  /** Of a file or directory; chmod alone would follow a link. */
  setMode(name: string, mode: number): void {
    this.#do(name, (at) => {
      const fd = openSync(at, O_PATH | constants.O_NOFOLLOW);
      const place = `/proc/self/fd/${fd}`;
      try {
        chmodSync(place, mode);
      } catch (error) {
        throw withPath(error, place, at);
      } finally {
        closeSync(fd);
      }
    });
  }

  unlink(name: string): void {
    this.#do(name, (at) => unlinkSync(at));
  }

  /** Throws ENOTEMPTY for one that something is left in. */
  rmdir(name: string): void {
    this.#do(name, (at) => rmdirSync(at));
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
    this.#do('.', (at) => {
      const fd = openSync(at, 'r');
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    });
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #at(name: string): string {
    return `/proc/self/fd/${this.#fd}/${name}`;
  }

  #do<T>(name: string, act: (at: string) => T): T {
    try {
      return act(this.#at(name));
    } catch (error) {
      throw withPath(error, `/proc/self/fd/${this.#fd}`, this.path === '/' ? '' : this.path);
    }
  }
}

/** The system's error names the way that we took, which tells a person nothing. */
function withPath(error: unknown, taken: string, known: string): unknown {
  if (error instanceof Error)
    error.message = error.message.replaceAll(`'${taken}/.'`, `'${known}'`).replaceAll(`'${taken}`, `'${known}`);
  return error;
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
