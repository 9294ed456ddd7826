import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import { unlessAbsent } from '../../fs/absent.ts';
import { holds } from '../../fs/content.ts';
import { Replacer } from '../../fs/replacer.ts';
import { Directory } from '../../fs/tree.ts';
import type { Lines } from './lines.ts';
import { contentOf, type Entry, type Tree } from './tree.ts';

/** Preserved times go through doubles, which are this exact. */
const TIME_TOLERANCE_S = 0.000_002;

interface Settling {
  readonly lines: Lines;
  readonly replacer: Replacer;
  /** What must go; last, so that whoever is killed before has lost nothing. */
  readonly doomed: string[];
}

/**
 * Makes the disk what the tree says. What is right already is not touched; every file is replaced whole. The image's own
 * files are kept before theirs are replaced, and things are deleted last. The picture has no link on the way to a place, so
 * none is followed, whoever may have put one there since. Throws the system's error.
 */
export function settle(tree: Tree, lines: Lines): void {
  const { root } = tree;
  const settling: Settling = { lines, replacer: new Replacer((path) => Directory.below(root, path)), doomed: [] };
  // Kept files first: what they were copied from is about to be replaced.
  const kept = ['etc', 'kolla', 'defaults'];
  const order = (name: string, depth: number) => (name === kept[depth] ? 0 : 1);
  using top = Directory.open(root);
  settleFolder(settling, top, tree.top, (a, b, depth) => order(a, depth) - order(b, depth), 0);
  settling.replacer.sync();
  for (const path of settling.doomed)
    unlessAbsent(() => {
      using folder = Directory.below(root, dirname(path));
      folder.remove(basename(path));
    });
}

type Order = (a: string, b: string, depth: number) => number;

function settleFolder(settling: Settling, directory: Directory, folder: Entry, order: Order, depth: number): void {
  const { path } = directory;
  const fresh = folder.onDisk === undefined;
  if (fresh)
    for (const name of directory.list()) if (!folder.children.has(name)) settling.doomed.push(join(path, name));
  for (const name of [...folder.children.keys()].toSorted((a, b) => order(a, b, depth))) {
    const entry = folder.children.get(name);
    // Only looked at.
    if (entry?.onDisk !== undefined && entry.kind !== 'directory' && !entry.touched) continue;
    const place = join(path, name);
    const found = directory.lstat(name);
    if (entry === undefined) {
      if (found !== undefined) settling.doomed.push(place);
    } else if (entry.kind === 'directory') {
      settleDirectory(settling, directory, name, entry, found);
      using inner = directory.open(name);
      settleFolder(settling, inner, entry, order, depth + 1);
    } else if (entry.onDisk !== undefined) settleOwner(settling, directory, name, entry, found);
    else if (entry.kind === 'link') settleLink(settling, directory, name, entry, found);
    else settleFile(settling, directory, name, entry, found);
  }
}

function settleDirectory(
  settling: Settling,
  directory: Directory,
  name: string,
  entry: Entry,
  found: Stats | undefined,
): void {
  if (found?.isDirectory()) {
    if (entry.onDisk === undefined) entry.touched = true;
    settleOwner(settling, directory, name, entry, found);
    return;
  }
  if (found !== undefined) directory.unlink(name);
  directory.make(name, entry.mode & 0o700);
  directory.own(name, entry.uid, entry.gid);
  directory.setMode(name, entry.mode);
}

/** Refusals are logged and no more, as with Kolla: they are about what a service made. */
function settleOwner(
  { lines }: Settling,
  directory: Directory,
  name: string,
  entry: Entry,
  found: Stats | undefined,
): void {
  if (!entry.touched || found === undefined) return;
  const { uid, gid, mode } = entry;
  const path = join(directory.path, name);
  const otherOwner = found.uid !== uid || found.gid !== gid;
  if (otherOwner) {
    attempt(
      () => directory.own(name, uid, gid),
      (why) => lines.error(`Failed to change ownership of ${path} to ${uid}:${gid}: ${why}`),
    );
  }
  if ((found.mode & 0o7777) === mode && !otherOwner) return;
  attempt(
    () => directory.setMode(name, mode),
    (why) => lines.error(`Failed to set permission of ${path} to ${mode}: ${why}`),
  );
}

function attempt(act: () => void, failed: (why: string) => void): void {
  try {
    act();
  } catch (error) {
    failed(messageOf(error));
  }
}

function settleLink(
  { replacer }: Settling,
  directory: Directory,
  name: string,
  entry: Entry,
  found: Stats | undefined,
): void {
  if (found?.isSymbolicLink() && directory.readlink(name) === entry.target) return;
  if (found?.isDirectory()) directory.remove(name);
  replacer.link(join(directory.path, name), { target: entry.target!, uid: entry.uid, gid: entry.gid });
}

function settleFile(
  { replacer }: Settling,
  directory: Directory,
  name: string,
  entry: Entry,
  found: Stats | undefined,
): void {
  const path = join(directory.path, name);
  if (found && isRight(path, entry, found)) return;
  if (found?.isDirectory()) directory.remove(name);
  replacer.replace(path, {
    content: contentOf(entry),
    mode: entry.mode,
    uid: entry.uid,
    gid: entry.gid,
    times: entry.times,
  });
}

/** Whether a file is there and is what the entry says. */
export function isRight(path: string, entry: Entry, found: Stats): boolean {
  if (!found.isFile()) return false;
  if ((found.mode & 0o7777) !== entry.mode || found.uid !== entry.uid || found.gid !== entry.gid) return false;
  if (entry.times !== undefined && Math.abs(entry.times.mtime - found.mtimeMs / 1000) > TIME_TOLERANCE_S) return false;
  const content = contentOf(entry);
  return found.size === content.byteLength && holds(path, content);
}
