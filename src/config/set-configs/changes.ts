import type { Content } from '../../fs/content.ts';
import { afterChown } from '../tree/access.ts';
import { ForeignLinkError, findReadable, foreignName, ownLinksOnly } from '../tree/links.ts';
import { dirname, trimmed } from '../python/values.ts';
import { newEntry, timesOf, type Entry, type Kind } from '../tree/entry.ts';
import { systemError, type OnLink, type ResolvedPath, type Tree } from '../tree/tree.ts';

/** The owner and umask of new objects. */
export interface Maker {
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
}

/**
 * Changes to a tree, with the semantics of Kolla's Python calls. The disk is not touched. Unlike those calls, they
 * follow a link only if no other user can have created it: see links.ts.
 */
export class Changes {
  readonly tree: Tree;
  readonly #maker: Maker;
  readonly #onLink: OnLink;

  constructor(tree: Tree, maker: Maker) {
    this.tree = tree;
    this.#maker = maker;
    this.#onLink = ownLinksOnly(maker);
  }

  /** The object at the path, which will be changed. Throws ForeignLinkError. */
  find(path: string, follow: boolean): ResolvedPath {
    return this.tree.find(path, follow, this.#onLink);
  }

  /** Throws ForeignLinkError if a link of another user leads to a source. */
  checkSource(path: string, follow: boolean): void {
    findReadable(this.#maker, this.tree, path, follow);
  }

  /** The reason why an object on disk must not be chowned to that user. */
  whyNotFor(uid: number, entry: Entry): string | undefined {
    return foreignName(this.#maker, entry, uid);
  }

  /** The object at the path with links followed, which will be chowned to that user. Throws ForeignLinkError. */
  findToGive(path: string, uid: number): Entry | undefined {
    const { entry } = this.find(path, true);
    const why = entry && this.whyNotFor(uid, entry);
    if (why !== undefined) throw new ForeignLinkError(why);
    return entry;
  }

  /** Same as os.remove or shutil.rmtree. Removes a link, not its target. */
  remove(path: string): void {
    const { directory, name } = this.find(trimmed(path), false);
    if (directory === undefined || name === '') throw systemError('EBUSY', path);
    this.tree.set(directory, name, undefined);
  }

  /** Same as os.makedirs(exist_ok=True). Throws if a component exists and is not a directory. */
  makeDirectories(path: string): void {
    if (path === '') throw systemError('ENOENT', "''", 'is not a path: write an absolute one');
    const place = this.find(path, true);
    if (place.entry !== undefined) {
      if (place.entry.kind !== 'directory') throw systemError('EEXIST', path);
      return;
    }
    const bare = trimmed(path);
    const above = dirname(bare);
    if (above !== '' && above !== bare) this.makeDirectories(above);
    // Once the parents exist, `made/..` is valid.
    if (this.tree.isDirectory(bare)) return;
    const { directory, name, entry } = this.find(bare, false);
    if (directory === undefined) throw systemError('ENOTDIR', path);
    if (entry !== undefined) throw systemError('EEXIST', path);
    const inherits = (directory.mode & 0o2000) !== 0;
    const mode = (0o777 & ~this.#maker.umask) | (inherits ? 0o2000 : 0);
    const gid = inherits ? directory.gid : this.#maker.gid;
    this.tree.set(directory, name, newEntry('directory', mode, this.#maker.uid, gid));
  }

  /** Writes a file with that content at the resolved path. An existing file keeps its owner and mode. */
  write(path: string, content: Buffer, mode = 0o666 & ~this.#maker.umask): Entry {
    const place = this.find(path, true);
    if (place.entry?.kind === 'directory') throw systemError('EISDIR', path);
    const { mode: own, uid, gid } = place.entry ?? { mode, uid: undefined, gid: undefined };
    return this.#put(place, path, 'file', own, content, undefined, uid, gid);
  }

  /** Same as shutil.copy: copies content and mode of the source's target. Throws the read error. */
  copyFile(source: string, dest: string): Entry {
    const from = this.tree.stat(source);
    const content = this.tree.content(source, from);
    return this.#put(this.find(dest, true), dest, 'file', from!.mode, content);
  }

  /** Same as os.symlink. */
  link(target: string, dest: string): void {
    this.#put(this.find(dest, false), dest, 'link', 0o777, undefined, target);
  }

  /** Same as os.chown. */
  own(entry: Entry, uid: number, gid: number): void {
    entry.uid = uid;
    entry.gid = gid;
    if (entry.kind !== 'directory') entry.mode = afterChown(entry.mode);
    entry.touched = true;
    entry.isPreserved = false;
  }

  /** Same as os.chmod. */
  setMode(entry: Entry, mode: number): void {
    entry.mode = mode;
    entry.touched = true;
  }

  /** Same as shutil.copystat, and also the owner. In Kolla's order the owner is last, so setuid is lost. */
  preserve(source: string, dest: string): void {
    const from = existing(this.tree.stat(source), source);
    const to = existing(this.find(dest, true).entry, dest);
    to.mode = from.mode;
    if (to.kind === 'file') to.times = timesOf(from);
    this.own(to, from.uid, from.gid);
    to.isPreserved = true;
  }

  #put(
    { directory, name }: ResolvedPath,
    path: string,
    kind: Kind,
    mode: number,
    content: Content | undefined,
    target?: string,
    uid = this.#maker.uid,
    gid = (directory?.mode ?? 0) & 0o2000 ? directory!.gid : this.#maker.gid,
  ): Entry {
    if (directory === undefined || name === '')
      throw systemError('ENOENT', path, 'cannot be created: its parent does not exist or is not a directory');
    const entry = newEntry(kind, mode, uid, gid, content, target);
    this.tree.set(directory, name, entry);
    return entry;
  }
}

function existing(entry: Entry | undefined, path: string): Entry {
  if (entry === undefined) throw systemError('ENOENT', path);
  return entry;
}
