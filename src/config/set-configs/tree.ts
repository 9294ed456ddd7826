import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../core/defined.ts';
import { bytesOf, LargeFile, readContent, type Content } from '../../fs/content.ts';

export type Kind = 'directory' | 'file' | 'link' | 'special';

/** One thing in the tree, as it is on disk or as it shall be. */
export interface Entry {
  readonly kind: Kind;
  mode: number;
  uid: number;
  gid: number;
  /** Where it lies on disk; undefined for what is yet to be made. */
  readonly onDisk: string | undefined;
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

/**
 * The file system under a root, as it will be once everything is done. Paths are those that config.json writes; links
 * are followed within the root. Nothing here writes to the disk.
 */
export class Tree implements Disposable {
  readonly root: string;
  readonly top: Entry;
  readonly #kept: LargeFile[] = [];

  constructor(root: string) {
    this.root = root;
    this.top = load(root) ?? newDirectory(0o755, 0, 0);
  }

  /** Where the path leads; the last link is followed when asked, or when a slash stands behind it. */
  find(path: string, follow: boolean, onLink?: OnLink): Place {
    const folderOnly = path.endsWith('/');
    const pending = segments(path);
    let chain: { name: string; entry: Entry }[] = [];
    const here = () => chain.at(-1)?.entry ?? this.top;
    const at = (last?: string) =>
      `/${[...chain.map((one) => one.name), ...(last === undefined ? [] : [last])].join('/')}`;
    for (let links = 0; pending.length > 0;) {
      const name = pending.pop()!;
      const folder = here();
      if (folder.kind === 'directory' && name === '.') continue;
      if (folder.kind === 'directory' && name === '..') {
        chain.pop();
        continue;
      }
      if (folder.kind !== 'directory') return { folder: undefined, name, entry: undefined, path: at(name) };
      const entry = this.child(folder, name);
      const isLast = pending.length === 0;
      if (entry?.kind === 'link' && (!isLast || follow || folderOnly)) {
        onLink?.(entry, at(name), this.#holders(chain));
        if (++links > LINKS_MAX) return { folder: undefined, name, entry: undefined, path: at(name) };
        if (entry.target!.startsWith('/')) chain = [];
        pending.push(...segments(entry.target!));
        continue;
      }
      if (isLast) {
        const found = folderOnly && entry?.kind !== 'directory' ? undefined : entry;
        return { folder, name, entry: found, path: at(name) };
      }
      if (entry === undefined) return { folder: undefined, name: pending[0]!, entry: undefined, path: at(name) };
      chain.push({ name, entry });
    }
    const last = chain.at(-1);
    return { folder: chain.at(-2)?.entry ?? this.top, name: last?.name ?? '', entry: here(), path: at() };
  }

  #holders(chain: readonly { readonly name: string; readonly entry: Entry }[]): Holder[] {
    let path = '';
    return [{ path: '/', entry: this.top }, ...chain.map(({ name, entry }) => ({ path: (path += `/${name}`), entry }))];
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
      for (const name of readdirSync(folder.onDisk)) if (!folder.children.has(name)) this.child(folder, name);
    const names = [...folder.children].flatMap(([name, entry]) => (entry === undefined ? [] : [name]));
    return names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  /** A file's bytes. Throws the system's error. */
  read(path: string): Buffer {
    return bytesOf(this.content(path));
  }

  /** What a file holds now, even if another takes its name while the disk becomes the picture. Throws the system's error. */
  content(path: string): Content {
    const entry = this.stat(path);
    if (entry === undefined) throw systemError('ENOENT', path);
    if (entry.kind === 'directory') throw systemError('EISDIR', path);
    if (entry.kind !== 'file') throw systemError('EINVAL', path);
    const content = contentOf(entry);
    if (content instanceof LargeFile) this.#kept.push(content.keepOpen());
    return content;
  }

  [Symbol.dispose](): void {
    for (const file of this.#kept) file[Symbol.dispose]();
  }

  child(folder: Entry, name: string): Entry | undefined {
    if (folder.onDisk !== undefined && !folder.children.has(name))
      folder.children.set(name, load(join(folder.onDisk, name)));
    return folder.children.get(name);
  }
}

export function contentOf(entry: Entry): Content {
  return entry.content ?? readContent(entry.onDisk!);
}

export function newDirectory(mode: number, uid: number, gid: number): Entry {
  return { kind: 'directory', mode, uid, gid, onDisk: undefined, children: new Map() };
}

export function systemError(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function segments(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .toReversed();
}

function load(path: string): Entry | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const kind = kindOf(found);
  return {
    kind,
    mode: found.mode & 0o7777,
    uid: found.uid,
    gid: found.gid,
    onDisk: path,
    children: new Map(),
    times: { atime: found.atimeMs / 1000, mtime: found.mtimeMs / 1000 },
    ...defined({ target: kind === 'link' ? readlinkSync(path) : undefined }),
  };
}

function kindOf(stats: Stats): Kind {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFile()) return 'file';
  return stats.isSymbolicLink() ? 'link' : 'special';
}
