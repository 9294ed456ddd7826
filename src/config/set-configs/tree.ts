import { unlessAbsent } from '../../fs/absent.ts';
import { bytesOf, changedMeanwhile, LargeFile, type Content } from '../../fs/content.ts';
import { Directory } from '../../fs/tree.ts';
import { isOf, newEntry, pathOnDisk, seen, type Entry, type OnDisk } from './entry.ts';
import { basename } from './python.ts';

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
  /** Where paths without a link on the way lead, and those that were followed: the same ones are asked for many times. */
  readonly #straight = new Map<string, Place>();
  readonly #followed = new Map<string, Place>();
  /** The one that was used last comes last. */
  readonly #held = new Map<Entry, Directory>();
  #last: Entry | undefined;

  constructor(root: string) {
    this.root = root;
    const directory = unlessAbsent(() => Directory.open(root));
    const onDisk = directory && { parent: undefined, name: '', stats: directory.stat() };
    this.top = onDisk === undefined ? newEntry('directory', 0o755, 0, 0) : seen(onDisk);
    if (directory !== undefined) this.#held.set(this.top, directory);
  }

  /** Where the path leads; the last link is followed when asked, or when a slash stands behind it. */
  find(path: string, follow: boolean, onLink?: OnLink): Place {
    const before = this.#straight.get(path);
    // Whatever makes its folder another one makes us forget it.
    const isCurrent = before !== undefined && before.folder!.children.get(before.name) === before.entry;
    const straight = isCurrent ? before : this.#find(path, before);
    if (straight !== undefined && !(follow && straight.entry?.kind === 'link')) return straight;
    if (!follow || onLink !== undefined) return this.#walk(path, follow, onLink);
    const known = this.#followed.get(path);
    if (known?.entry !== undefined && known.folder!.children.get(known.name) === known.entry) return known;
    const place = this.#walk(path, true);
    this.#followed.set(path, place);
    return place;
  }

  /** The same without any link on the way; undefined where there may be one, or a part is missing or written oddly. */
  #find(path: string, known = this.#straight.get(path)): Place | undefined {
    const name = known?.name ?? basename(path);
    const folder = known?.folder ?? this.#folderOf(path, name);
    if (folder === undefined) return undefined;
    const entry = this.child(folder, name);
    if (known !== undefined && known.entry === entry) return known;
    const place = { folder, name, entry, path: path.startsWith('/') ? path : `/${path}` };
    this.#straight.set(path, place);
    return place;
  }

  #folderOf(path: string, name: string): Entry | undefined {
    if (name === '' || name === '.' || name === '..') return undefined;
    const cut = path.length - name.length - 1;
    const folder = cut > 0 ? this.#find(path.slice(0, cut))?.entry : this.top;
    return folder?.kind === 'directory' ? folder : undefined;
  }

  #walk(path: string, follow: boolean, onLink?: OnLink): Place {
    const folderOnly = path.endsWith('/');
    let parts = segments(path);
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
        if (++links > LINKS_MAX) return missing([...names, name]);
        if (entry.target!.startsWith('/')) names.length = 0;
        entries.length = names.length + 1;
        parts = [...segments(entry.target!), ...parts.slice(next)];
        next = 0;
        continue;
      }
      if (isLast) {
        const isRefused = folderOnly && entry?.kind !== 'directory';
        return { folder, name, entry: isRefused ? undefined : entry, path: pathOf(names, name) };
      }
      if (entry === undefined) return missing([...names, ...parts.slice(next - 1)]);
      names.push(name);
      entries.push(entry);
    }
    const name = names.pop() ?? '';
    return { folder: entries.at(-2) ?? this.top, name, entry: entries.at(-1), path: pathOf(names, name) };
  }

  /** Gives a name in a folder to something else, or to nothing. */
  set(folder: Entry, name: string, entry: Entry | undefined): void {
    const before = folder.children.get(name);
    folder.children.set(name, entry);
    if (!isWay(before) && !isWay(entry)) return;
    // A path through it may lead elsewhere now.
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
    if (found === undefined || !isOf(onDisk!, found.stats)) throw changedMeanwhile(pathOnDisk(onDisk!));
    if (found.content instanceof LargeFile) this.#kept.push(found.content.keepOpen());
    return found.content;
  }

  /** A directory that is on disk, for as long as no {@link HELD_MAX} others are asked for. Throws EAGAIN where another has taken its place. */
  held(entry: Entry): Directory {
    if (entry.onDisk === undefined) throw systemError('ENOENT', this.root);
    const directory = this.#held.get(entry) ?? this.#hold(entry.onDisk);
    if (entry === this.#last) return directory;
    this.#last = entry;
    this.#held.delete(entry);
    this.#held.set(entry, directory);
    if (this.#held.size > HELD_MAX) this.#release();
    return directory;
  }

  #release(): void {
    for (const [other, oldest] of this.#held) {
      if (this.#held.size <= HELD_MAX) return;
      if (other === this.top) continue;
      this.#held.delete(other);
      oldest[Symbol.dispose]();
    }
  }

  /** A directory that is on disk from now on. */
  keep(entry: Entry, parent: Entry, directory: Directory): Directory {
    const name = basename(directory.path);
    entry.onDisk = { parent, name, stats: directory.stat() };
    this.#held.set(entry, directory);
    return this.held(entry);
  }

  #hold(onDisk: OnDisk): Directory {
    const { parent, name } = onDisk;
    let directory: Directory;
    try {
      directory = this.held(parent!).open(name);
    } catch (error) {
      if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw changedMeanwhile(pathOnDisk(onDisk));
      throw error;
    }
    if (isOf(onDisk, directory.stat())) return directory;
    directory[Symbol.dispose]();
    throw changedMeanwhile(pathOnDisk(onDisk));
  }

  [Symbol.dispose](): void {
    for (const file of this.#kept) file[Symbol.dispose]();
    for (const directory of this.#held.values()) directory[Symbol.dispose]();
  }

  child(folder: Entry, name: string): Entry | undefined {
    const known = folder.children.get(name);
    if (known !== undefined || folder.onDisk === undefined || folder.children.has(name)) return known;
    const entry = this.#look(folder, name);
    folder.children.set(name, entry);
    return entry;
  }

  #look(folder: Entry, name: string): Entry | undefined {
    const directory = this.held(folder);
    const stats = directory.lstat(name);
    if (stats === undefined) return undefined;
    const target = stats.isSymbolicLink() ? directory.readlink(name) : undefined;
    return seen({ parent: folder, name, stats }, target);
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
  const message = meaning === undefined ? `${code}: ${path}` : `${path} ${meaning} (${code})`;
  return Object.assign(new Error(message), { code });
}

/** A place in a folder that is not there, by its own name: two of them are not the same. */
function missing(names: readonly string[]): Place {
  return { folder: undefined, name: names.at(-1)!, entry: undefined, path: `/${names.join('/')}` };
}

/** Whether paths may lead through it. */
function isWay(entry: Entry | undefined): boolean {
  return entry !== undefined && (entry.kind === 'directory' || entry.kind === 'link');
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
