import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { codeOf, ConfigError, messageOf } from '../../core/errors.ts';
import { isThere } from '../../fs/access.ts';
import { makeDirectory } from '../../fs/directory.ts';

/** Mode of the state directory, which is private. */
const STATE_MODE = 0o700;

/**
 * The state directory. By default it is in the log volume, where services may rename it and replace it with a link: so
 * it is held open, and its files are accessed through the descriptor.
 */
export class StateDirectory implements Disposable {
  /** The path shown to users, for messages. */
  readonly path: string;
  readonly #fd: number | undefined;

  /** @param fd the directory's descriptor; without it, the directory is accessed by its path */
  constructor(path: string, fd?: number) {
    this.path = path;
    this.#fd = fd;
  }

  /** The path of one of its files for system calls. */
  at(name: string): string {
    return this.#fd === undefined ? join(this.path, name) : `/proc/self/fd/${this.#fd}/${name}`;
  }

  /** The path of one of its files as shown to users. */
  nameOf(name: string): string {
    return join(this.path, name);
  }

  /** Whether a path is inside the directory, even if the directory was moved. */
  has(place: string): boolean {
    const own = this.#fd === undefined ? this.path : readlinkSync(`/proc/self/fd/${this.#fd}`);
    return place.startsWith(own + sep);
  }

  /** The text of an error, with the path shown to users. */
  inWords(text: string): string {
    return this.#fd === undefined ? text : text.replaceAll(`/proc/self/fd/${this.#fd}`, this.path);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Creates the directory if it is missing, and holds it open.
 * @param root of the logs: no path component below it may be a link
 * @throws ConfigError for such a link, and if the directory is inaccessible
 */
export function holdDirectory(path: string, root: string): StateDirectory {
  try {
    makeDirectory(path, STATE_MODE);
    return held(path, root);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    if (codeOf(cause) === 'ENOENT' && !existsSync(root))
      throw new ConfigError(`${root} does not exist: mount the log volume`, { cause });
    throw cannotKeep(path, messageOf(cause), cause);
  }
}

/** The error if no state can be kept in the directory. */
export function cannotKeep(path: string, why: string, cause: unknown): ConfigError {
  return new ConfigError(`cannot keep state in ${path}: ${why}; give --state a directory that this user may write`, {
    cause,
  });
}

function held(path: string, root: string): StateDirectory {
  const isShared = path.startsWith(root + sep);
  const fd = openSync(path, isShared ? DIRECTORY : DIRECTORY & ~constants.O_NOFOLLOW);
  const directory = new StateDirectory(path, fd);
  const place = readlinkSync(`/proc/self/fd/${fd}`);
  if (!isShared || place === join(realpathSync(root), relative(root, path))) return directory;
  directory[Symbol.dispose]();
  throw new ConfigError(
    `cannot keep state in ${path}, which leads to ${place}: remove the link, or give --state a directory outside of ${root}`,
  );
}

/**
 * Opens one of our files in the directory. Rejects a link, and a file of another user.
 * @param flags as in open(2)
 * @throws the system's error, or the kind of file
 */
export async function openOwn(file: string, flags: number): Promise<FileHandle> {
  const handle = await open(file, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  const found = fstatSync(handle.fd);
  if (found.isFile() && found.uid === process.geteuid?.()) return handle;
  await handle.close();
  throw new Error(found.isFile() ? `it belongs to uid ${found.uid}` : 'it is not a regular file');
}

/** The text of one of our files. Rejects like openOwn. */
export async function readOwn(file: string): Promise<string> {
  await using handle = await openOwn(file, constants.O_RDONLY);
  return await handle.readFile('utf8');
}

/**
 * Renames a damaged file to an unused path, because one that was renamed before may be needed for diagnosis. Rejects
 * with the system's error.
 * @returns the path
 */
export async function setAside(file: string): Promise<string> {
  for (let n = 0; ; n++) {
    const aside = `${file}.unreadable${n === 0 ? '' : `.${n}`}`;
    if (isThere(aside)) continue;
    await rename(file, aside);
    return aside;
  }
}
