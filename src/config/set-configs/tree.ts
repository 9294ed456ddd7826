import type { Stats } from 'node:fs';
import { basename } from 'node:path';
import { defined } from '../../core/defined.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { bytesOf, changedMeanwhile, LargeFile, type Content } from '../../fs/content.ts';
import { Directory } from '../../fs/tree.ts';

export type Kind = 'directory' | 'file' | 'link' | 'special';

/** One thing in the tree, as it is on disk or as it shall be. */
export interface Entry {
  readonly kind: Kind;
  mode: number;
  uid: number;
  gid: number;
  /** Undefined for what is yet to be made. */
  onDisk: OnDisk | undefined;
  /** Of a file that is yet to be made. */
  readonly content?: Content;
  readonly target?: string;
  /** Seconds; undefined where the time doesn't matter. */
  times?: { readonly atime: number; readonly mtime: number } | undefined;
  /** Owner or mode differ from what is on disk. */
  touched?: true;
  /** What was looked at so far, and all of it when there is nothing on disk. Undefined means absent. */
  readonly children: Map<string, Entry | undefined>;
}

/** The very thing that was looked at: what takes its name, or the name of a directory above it, is another. */
export interface OnDisk {
  /** Undefined for the root. */
  readonly parent: Entry | undefined;
  readonly name: string;
  /** In the root, for messages. */
  readonly path: string;
  readonly stats: Pick<Stats, 'dev' | 'ino' | 'nlink'>;
}

/** Where a path leads. */
export interface Place {
  /** The folder that it is in; undefined when there is none. */
  readonly folder: Entry | undefined;
  readonly name: string;
  readonly entry: Entry | undefined;
  /** Without any link in it. */
  readonly path: string;
}

/**
 * Called before a link is followed; throws where it must not be.
 * @param path of the link, without any link in it
 * @param holders the directories that the link lies in, from the root down
 */
export type OnLink = (link: Entry, path: string, holders: readonly Holder[]) => void;

export interface Holder {
  readonly path: string;
  readonly entry: Entry;
}

const LINKS_MAX = 40;
/** Directories that are held at a time: no limit on open files is as low. */
const HELD_MAX = 512;

/**
 * The file system under a root, as it will be once everything is done. Paths are those that config.json writes; links
 * are followed within the root, by us: the system is only ever asked for one name in a directory that is held, so that whoever
 * swaps something on the way meanwhile ends the run instead of leading it elsewhere. Nothing here writes to the disk.
 */
export class Tree implements Disposable {
  readonly root: string;
  readonly top: Entry;
  readonly #kept: LargeFile[] = [];
  readonly #parts = new Map<string, readonly string[]>();
  /** Folders that a path leads to without a link on the way: many files lie in one. */
  readonly #straight = new Map<string, { readonly folder: Entry; readonly names: readonly string[] }>();
  /** The one that was used last comes last. */
  readonly #held = new Map<Entry, Directory>();

  constructor(root: string) {
    this.root = root;
    const directory = unlessAbsent(() => Directory.open(root));
    this.top = directory === undefined ? newDirectory(0o755, 0, 0) : seen(directory.stat(), undefined, '', '/');
    if (directory !== undefined) this.#held.set(this.top, directory);
  }

  /** Where the path leads; the last link is followed when asked, or when a slash stands behind it. */
  find(path: string, follow: boolean, onLink?: OnLink): Place {
    const cut = path.lastIndexOf('/');
    const above = path.slice(0, cut);
    const known = this.#straight.get(above);
    const last = path.slice(cut + 1);
    if (known !== undefined && !['', '.', '..'].includes(last)) {
      const entry = this.child(known.folder, last);
      if (!follow || entry?.kind !== 'link') return new Found(known.folder, last, entry, known.names);
    }
    const folderOnly = path.endsWith('/');
    let parts = this.#segments(path);
    const names: string[] = [];
    // Each the folder of the next; the last one is where we are.
    const entries: Entry[] = [this.top];
    let links = 0;
    for (let next = 0; next < parts.length;) {
      const name = parts[next++]!;
      const folder = entries.at(-1)!;
      if (folder.kind !== 'directory') return missing([...names, ...parts.slice(next - 1)]);
      if (name === '.') continue;
      if (name === '..') {
        if (names.pop() !== undefined) entries.pop();
        continue;
      }
      const entry = this.child(folder, name);
      const isLast = next === parts.length;
      if (entry?.kind === 'link' && (!isLast || follow || folderOnly)) {
        onLink?.(entry, pathOf(names, name), holdersOf(names, entries));
        if (++links > LINKS_MAX) return new Found(undefined, name, undefined, names);
        if (entry.target!.startsWith('/')) names.length = 0;
        entries.length = names.length + 1;
        parts = [...this.#segments(entry.target!), ...parts.slice(next)];
        next = 0;
        continue;
      }
      if (isLast) {
        if (links === 0 && name === last) this.#straight.set(above, { folder, names });
        return new Found(folder, name, folderOnly && entry?.kind !== 'directory' ? undefined : entry, names);
      }
      if (entry === undefined) return missing([...names, ...parts.slice(next - 1)]);
      names.push(name);
      entries.push(entry);
    }
    return new Found(entries.at(-2) ?? this.top, names.pop() ?? '', entries.at(-1), names);
  }

  /** Gives a name in a folder to something else, or to nothing. */
  set(folder: Entry, name: string, entry: Entry | undefined): void {
    const before = folder.children.get(name);
    folder.children.set(name, entry);
    // A path through it may lead elsewhere now.
    if ([before, entry].some((one) => one?.kind === 'directory' || one?.kind === 'link')) this.#straight.clear();
  }

  /** The same paths are asked for many times. */
  #segments(path: string): readonly string[] {
    let found = this.#parts.get(path);
    if (found === undefined) this.#parts.set(path, (found = path.split('/').filter((part) => part !== '')));
    return found;
  }

  lstat(path: string): Entry | undefined {
    return this.find(path, false).entry;
  }

  stat(path: string): Entry | undefined {
    return this.find(path, true).entry;
  }

  isDirectory(path: string): boolean {
    return this.stat(path)?.kind === 'directory';
  }

  /** The names in a folder, by their bytes. Throws when it is none or can't be read. */
  list(path: string): string[] {
    const folder = this.stat(path);
    if (folder?.kind !== 'directory') throw systemError(folder === undefined ? 'ENOENT' : 'ENOTDIR', path);
    if (folder.onDisk !== undefined)
      for (const name of this.held(folder).list()) if (!folder.children.has(name)) this.child(folder, name);
    const names = [...folder.children].flatMap(([name, entry]) => (entry === undefined ? [] : [name]));
    return names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  /** A file's bytes. Throws the system's error. */
  read(path: string): Buffer {
    return bytesOf(this.content(path));
  }

  /** What a file holds now, even if another takes its name while the disk becomes the picture. Throws the system's error. */
  content(path: string, entry: Entry | undefined = this.stat(path)): Content {
    if (entry === undefined) throw systemError('ENOENT', path);
    if (entry.kind === 'directory') throw systemError('EISDIR', path);
    if (entry.kind !== 'file') throw systemError('EINVAL', path);
    return this.contentOf(entry);
  }

  /** The same of an entry that is a file. */
  contentOf({ content, onDisk }: Entry): Content {
    if (content !== undefined) return content;
    const found = this.held(onDisk!.parent!).read(onDisk!.name);
    if (found === undefined || !isOf(onDisk!, found.stats)) throw changedMeanwhile(onDisk!.path);
    if (found.content instanceof LargeFile) this.#kept.push(found.content.keepOpen());
    return found.content;
  }

  /** A directory that is on disk, for as long as no {@link HELD_MAX} others are asked for. Throws EAGAIN where another has taken its place. */
  held(entry: Entry): Directory {
    if (entry.onDisk === undefined) throw systemError('ENOENT', this.root);
    const directory = this.#held.get(entry) ?? this.#hold(entry.onDisk);
    this.#held.delete(entry);
    this.#held.set(entry, directory);
    for (const [other, oldest] of this.#held) {
      if (this.#held.size <= HELD_MAX) break;
      if (other === this.top) continue;
      this.#held.delete(other);
      oldest[Symbol.dispose]();
    }
    return directory;
  }

  /** A directory that is on disk from now on. */
  keep(entry: Entry, parent: Entry, directory: Directory): Directory {
    const name = basename(directory.path);
    entry.onDisk = { parent, name, path: childPath(parent.onDisk!.path, name), stats: directory.stat() };
    this.#held.set(entry, directory);
    return this.held(entry);
  }

  #hold({ parent, name, path, stats }: OnDisk): Directory {
    let directory: Directory;
    try {
      directory = this.held(parent!).open(name);
    } catch (error) {
      if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw changedMeanwhile(path);
      throw error;
    }
    if (isOf({ stats }, directory.stat())) return directory;
    directory[Symbol.dispose]();
    throw changedMeanwhile(path);
  }

  [Symbol.dispose](): void {
    for (const file of this.#kept) file[Symbol.dispose]();
    for (const directory of this.#held.values()) directory[Symbol.dispose]();
  }

  child(folder: Entry, name: string): Entry | undefined {
    if (folder.onDisk !== undefined && !folder.children.has(name)) folder.children.set(name, this.#look(folder, name));
    return folder.children.get(name);
  }

  #look(folder: Entry, name: string): Entry | undefined {
    const directory = this.held(folder);
    const found = directory.lstat(name);
    return found && seen(found, folder, name, childPath(folder.onDisk!.path, name), () => directory.readlink(name));
  }
}

/** Whether it is the very thing that was looked at. */
export function isOf({ stats }: Pick<OnDisk, 'stats'>, now: Stats): boolean {
  return stats.dev === now.dev && stats.ino === now.ino;
}

export function newDirectory(mode: number, uid: number, gid: number): Entry {
  return { kind: 'directory', mode, uid, gid, onDisk: undefined, children: new Map() };
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a directory',
  EEXIST: 'exists and is not a directory',
  EISDIR: 'is a directory',
  EINVAL: 'is not a regular file, but a FIFO, socket or device',
  EBUSY: 'cannot be removed',
};

export function systemError(code: string, path: string, meaning = MEANINGS[code]): NodeJS.ErrnoException {
  return Object.assign(new Error(meaning === undefined ? `${code}: ${path}` : `${path} ${meaning} (${code})`), {
    code,
  });
}

/** Its path is put together where somebody asks for it: most only look whether something is there. */
class Found implements Place {
  readonly folder: Entry | undefined;
  readonly name: string;
  readonly entry: Entry | undefined;
  readonly #above: readonly string[];

  constructor(folder: Entry | undefined, name: string, entry: Entry | undefined, above: readonly string[]) {
    this.folder = folder;
    this.name = name;
    this.entry = entry;
    this.#above = above;
  }

  get path(): string {
    return this.name === '' ? '/' : pathOf(this.#above, this.name);
  }
}

/** A place in a folder that is not there, by its own name: two of them are not the same. */
function missing(names: readonly string[]): Place {
  return new Found(undefined, names.at(-1)!, undefined, names.slice(0, -1));
}

function pathOf(above: readonly string[], name: string): string {
  return `/${[...above, name].join('/')}`;
}

function holdersOf(names: readonly string[], entries: readonly Entry[]): Holder[] {
  let path = '';
  return entries.map((entry, i) => ({ path: i === 0 ? '/' : (path += `/${names[i - 1]}`), entry }));
}

function childPath(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}

function seen(
  stats: Stats,
  parent: Entry | undefined,
  name: string,
  path: string,
  targetOf: () => string | undefined = () => undefined,
): Entry {
  const kind = kindOf(stats);
  return {
    kind,
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    onDisk: { parent, name, path, stats },
    children: new Map(),
    times: { atime: stats.atimeMs / 1000, mtime: stats.mtimeMs / 1000 },
    ...(kind === 'link' ? defined({ target: targetOf() }) : undefined),
  };
}

function kindOf(stats: Stats): Kind {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFile()) return 'file';
  return stats.isSymbolicLink() ? 'link' : 'special';
}
