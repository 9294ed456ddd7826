import { codeOf } from '../../core/errors.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { bytesOf, changedMeanwhile, LargeFile, type Content } from '../../fs/content.ts';
import { Directory } from '../../fs/tree.ts';
import { isOf, newEntry, pathOnDisk, seen, type Entry, type OnDisk } from './entry.ts';
import { basename } from '../python/values.ts';

/** The result of resolving a path. */
export interface ResolvedPath {
  /** The directory that contains it; undefined if there is none. */
  readonly directory: Entry | undefined;
  readonly name: string;
  readonly entry: Entry | undefined;
  /** The path with links resolved. */
  readonly path: string;
}

/**
 * Called before a link is followed; throws to reject it.
 * @param path the link's path, with its parents' links resolved
 * @param holders the link's parent directories, from the root down
 */
export type OnLink = (link: Entry, path: string, holders: readonly Holder[]) => void;

export interface Holder {
  readonly path: string;
  readonly entry: Entry;
}

const LINKS_MAX = 40;
/** Maximum number of open directories; below any limit on open files. */
const HELD_MAX = 512;

/**
 * A model of the file system below a root, in its final state. Paths are those of config.json; links are resolved here,
 * within the root: the system is only asked for single names in an open directory, so that a concurrent swap fails the
 * run instead of redirecting it. Nothing here writes to the disk.
 */
export class Tree implements Disposable {
  readonly root: string;
  readonly top: Entry;
  readonly #kept: LargeFile[] = [];
  /** Caches of resolved paths, without links and with links followed: the same paths are looked up many times. */
  readonly #directories = new Map<string, Entry>();
  readonly #straight = new Map<string, ResolvedPath>();
  readonly #followed = new Map<string, ResolvedPath>();
  /** The open directories, in LRU order. */
  readonly #held = new Map<Entry, Directory>();
  /** The last directory: siblings are looked up one after another. */
  #last: { readonly entry: Entry; readonly handle: Directory } | undefined;

  constructor(root: string) {
    this.root = root;
    const handle = unlessAbsent(() => Directory.open(root));
    const onDisk = handle && { parent: undefined, name: '', stats: handle.stat() };
    this.top = onDisk === undefined ? newEntry('directory', 0o755, 0, 0) : seen(onDisk);
    if (handle !== undefined) this.#held.set(this.top, handle);
  }

  /** Resolves the path; follows the last link on request, or if a slash follows it. */
  find(path: string, follow: boolean, onLink?: OnLink): ResolvedPath {
    const before = this.#straight.get(path);
    // A cached place is valid as long as its directory has the same entry under that name.
    const isCurrent = before !== undefined && before.directory!.children.get(before.name) === before.entry;
    const straight = isCurrent ? before : this.#find(path, before);
    if (straight !== undefined && !(follow && straight.entry?.kind === 'link')) return straight;
    if (!follow || onLink !== undefined) return this.#walk(path, follow, onLink);
    const known = this.#followed.get(path);
    if (known?.entry !== undefined && known.directory!.children.get(known.name) === known.entry) return known;
    const place = this.#walk(path, true);
    this.#followed.set(path, place);
    return place;
  }

  /** Fast lookup of a path without links; undefined if there may be a link, or a component is missing or unusual. */
  #find(path: string, known = this.#straight.get(path)): ResolvedPath | undefined {
    const name = known?.name ?? basename(path);
    const directory = known?.directory ?? this.#directoryOf(path, name);
    if (directory === undefined) return undefined;
    const entry = this.child(directory, name);
    if (known !== undefined && known.entry === entry) return known;
    const place = { directory, name, entry, path: path.startsWith('/') ? path : `/${path}` };
    this.#straight.set(path, place);
    return place;
  }

  #directoryOf(path: string, name: string): Entry | undefined {
    if (name === '' || name === '.' || name === '..') return undefined;
    const cut = path.length - name.length - 1;
    if (cut <= 0) return this.top.kind === 'directory' ? this.top : undefined;
    const above = path.slice(0, cut);
    const known = this.#directories.get(above);
    if (known !== undefined) return known;
    const directory = this.#find(above)?.entry;
    if (directory?.kind !== 'directory') return undefined;
    this.#directories.set(above, directory);
    return directory;
  }

  #walk(path: string, follow: boolean, onLink?: OnLink): ResolvedPath {
    const directoryOnly = path.endsWith('/');
    let parts = segments(path);
    const names: string[] = [];
    // Each directory is the parent of the next one; the last is the current directory.
    const entries: Entry[] = [this.top];
    let links = 0;
    for (let next = 0; next < parts.length;) {
      const name = parts[next++]!;
      const directory = entries.at(-1)!;
      if (directory.kind !== 'directory') return missing([...names, ...parts.slice(next - 1)]);
      if (name === '.') continue;
      if (name === '..') {
        if (names.pop() !== undefined) entries.pop();
        continue;
      }
      const entry = this.child(directory, name);
      const isLast = next === parts.length;
      if (entry?.kind === 'link' && (!isLast || follow || directoryOnly)) {
        onLink?.(entry, pathOf(names, name), holdersOf(names, entries));
        if (++links > LINKS_MAX) return missing([...names, name]);
        if (entry.target!.startsWith('/')) names.length = 0;
        entries.length = names.length + 1;
        parts = [...segments(entry.target!), ...parts.slice(next)];
        next = 0;
        continue;
      }
      if (isLast) {
        const isRefused = directoryOnly && entry?.kind !== 'directory';
        return { directory, name, entry: isRefused ? undefined : entry, path: pathOf(names, name) };
      }
      if (entry === undefined) return missing([...names, ...parts.slice(next - 1)]);
      names.push(name);
      entries.push(entry);
    }
    const name = names.pop() ?? '';
    return { directory: entries.at(-2) ?? this.top, name, entry: entries.at(-1), path: pathOf(names, name) };
  }

  /** Sets or removes a name in a directory. */
  set(directory: Entry, name: string, entry: Entry | undefined): void {
    const before = directory.children.get(name);
    directory.children.set(name, entry);
    // Only paths that lead through the previous object resolve differently now. No path leads through a missing one.
    if (before === undefined || !isWay(before)) return;
    this.#directories.clear();
    this.#straight.clear();
    this.#followed.clear();
  }

  lstat(path: string): Entry | undefined {
    return this.find(path, false).entry;
  }

  stat(path: string): Entry | undefined {
    return this.find(path, true).entry;
  }

  isDirectory(path: string): boolean {
    return this.find(path, true).entry?.kind === 'directory';
  }

  /** The names in a directory, sorted by bytes. Throws if it is not a directory or unreadable. */
  list(path: string): string[] {
    const directory = this.stat(path);
    if (directory?.kind !== 'directory') throw systemError(directory === undefined ? 'ENOENT' : 'ENOTDIR', path);
    if (directory.onDisk !== undefined)
      for (const name of this.held(directory).list()) if (!directory.children.has(name)) this.child(directory, name);
    const names = [...directory.children].flatMap(([name, entry]) => (entry === undefined ? [] : [name]));
    return names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  /** A file's bytes. Throws the system's error. */
  read(path: string): Buffer {
    return bytesOf(this.content(path));
  }

  /**
   * The content of a file before changes, even if its name is replaced while the tree is written to disk. Throws the
   * system's error.
   */
  content(path: string, entry: Entry | undefined = this.stat(path)): Content {
    if (entry === undefined) throw systemError('ENOENT', path);
    if (entry.kind === 'directory') throw systemError('EISDIR', path);
    if (entry.kind !== 'file') throw systemError('EINVAL', path);
    return this.contentOf(entry);
  }

  /** Same as `content`, for an entry that is a file. */
  contentOf({ content, onDisk }: Entry): Content {
    if (content !== undefined) return content;
    const found = this.held(onDisk!.parent!).read(onDisk!.name);
    if (found === undefined || !isOf(onDisk!, found.stats)) throw changedMeanwhile(pathOnDisk(onDisk!));
    if (found.content instanceof LargeFile) this.#kept.push(found.content.keepOpen());
    return found.content;
  }

  /** An open directory, valid until {@link HELD_MAX} others are opened. Throws EAGAIN if it was replaced. */
  held(entry: Entry): Directory {
    if (entry === this.#last?.entry) return this.#last.handle;
    if (entry.onDisk === undefined) throw systemError('ENOENT', this.root);
    const handle = this.#held.get(entry) ?? this.#hold(entry.onDisk);
    this.#last = { entry, handle };
    this.#held.delete(entry);
    this.#held.set(entry, handle);
    if (this.#held.size > HELD_MAX) this.#release();
    return handle;
  }

  #release(): void {
    for (const [other, oldest] of this.#held) {
      if (this.#held.size <= HELD_MAX) return;
      if (other === this.top) continue;
      this.#held.delete(other);
      oldest[Symbol.dispose]();
    }
  }

  /** Registers a directory that now exists on disk. */
  keep(entry: Entry, parent: Entry, handle: Directory): Directory {
    const name = basename(handle.path);
    entry.onDisk = { parent, name, stats: handle.stat() };
    this.#held.set(entry, handle);
    return this.held(entry);
  }

  #hold(onDisk: OnDisk): Directory {
    const { parent, name } = onDisk;
    let handle: Directory;
    try {
      handle = this.held(parent!).open(name);
    } catch (error) {
      if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes(codeOf(error) ?? '')) throw changedMeanwhile(pathOnDisk(onDisk));
      throw error;
    }
    if (isOf(onDisk, handle.stat())) return handle;
    handle[Symbol.dispose]();
    throw changedMeanwhile(pathOnDisk(onDisk));
  }

  [Symbol.dispose](): void {
    for (const file of this.#kept) file[Symbol.dispose]();
    for (const handle of this.#held.values()) handle[Symbol.dispose]();
  }

  child(directory: Entry, name: string): Entry | undefined {
    const known = directory.children.get(name);
    if (known !== undefined || directory.onDisk === undefined || directory.children.has(name)) return known;
    const entry = this.#look(directory, name);
    directory.children.set(name, entry);
    return entry;
  }

  #look(directory: Entry, name: string): Entry | undefined {
    const handle = this.held(directory);
    const stats = handle.lstat(name);
    if (stats === undefined) return undefined;
    const target = stats.isSymbolicLink() ? handle.readlink(name) : undefined;
    return seen({ parent: directory, name, stats }, target);
  }
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
  const message = meaning === undefined ? `${code}: ${path}` : `${path} ${meaning}`;
  return Object.assign(new Error(message), { code });
}

/** A path below a missing directory, identified by its own name. */
function missing(names: readonly string[]): ResolvedPath {
  return { directory: undefined, name: names.at(-1)!, entry: undefined, path: `/${names.join('/')}` };
}

/** Whether a path can lead through the object. */
function isWay({ kind }: Entry): boolean {
  return kind === 'directory' || kind === 'link';
}

function segments(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function pathOf(above: readonly string[], name: string): string {
  return `/${[...above, name].join('/')}`;
}

function holdersOf(names: readonly string[], entries: readonly Entry[]): Holder[] {
  let path = '';
  return entries.map((entry, i) => ({ path: i === 0 ? '/' : (path += `/${names[i - 1]}`), entry }));
}
