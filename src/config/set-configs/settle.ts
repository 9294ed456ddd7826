import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import { Replacer } from '../../fs/replacer.ts';
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
 * files are kept before theirs are replaced, and things are deleted last. Throws the system's error.
 */
export function settle(tree: Tree, lines: Lines): void {
  const settling: Settling = { lines, replacer: new Replacer(), doomed: [] };
  // Kept files first: what they were copied from is about to be replaced.
  const kept = ['etc', 'kolla', 'defaults'];
  const order = (name: string, depth: number) => (name === kept[depth] ? 0 : 1);
  settleFolder(settling, tree.root, tree.top, (a, b, depth) => order(a, depth) - order(b, depth), 0);
  settling.replacer.sync();
  for (const path of settling.doomed) rmSync(path, { recursive: true, force: true });
}

type Order = (a: string, b: string, depth: number) => number;

function settleFolder(settling: Settling, path: string, folder: Entry, order: Order, depth: number): void {
  const fresh = folder.onDisk === undefined;
  if (fresh)
    for (const name of readdirSync(path)) if (!folder.children.has(name)) settling.doomed.push(join(path, name));
  for (const name of [...folder.children.keys()].toSorted((a, b) => order(a, b, depth))) {
    const entry = folder.children.get(name);
    // Only looked at.
    if (entry?.onDisk !== undefined && entry.kind !== 'directory' && !entry.touched) continue;
    const place = join(path, name);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (entry === undefined) {
      if (found !== undefined) settling.doomed.push(place);
    } else if (entry.kind === 'directory') {
      settleDirectory(settling, place, entry, found);
      settleFolder(settling, place, entry, order, depth + 1);
    } else if (entry.onDisk !== undefined) settleOwner(settling, place, entry, found);
    else if (entry.kind === 'link') settleLink(settling, place, entry, found);
    else settleFile(settling, place, entry, found);
  }
}

function settleDirectory(settling: Settling, path: string, entry: Entry, found: Stats | undefined): void {
  if (found?.isDirectory()) {
    if (entry.onDisk === undefined) entry.touched = true;
    settleOwner(settling, path, entry, found);
    return;
  }
  if (found !== undefined) rmSync(path);
  mkdirSync(path, { mode: entry.mode & 0o700 });
  lchownSync(path, entry.uid, entry.gid);
  chmodSync(path, entry.mode);
}

/** Refusals are logged and no more, as with Kolla: they are about what a service made. */
function settleOwner({ lines }: Settling, path: string, entry: Entry, found: Stats | undefined): void {
  if (!entry.touched || found === undefined) return;
  const { uid, gid, mode } = entry;
  const otherOwner = found.uid !== uid || found.gid !== gid;
  if (otherOwner) {
    attempt(
      () => lchownSync(path, uid, gid),
      (why) => lines.error(`Failed to change ownership of ${path} to ${uid}:${gid}: ${why}`),
    );
  }
  if ((found.mode & 0o7777) === mode && !otherOwner) return;
  attempt(
    () => chmodSync(path, mode),
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

function settleLink({ replacer }: Settling, path: string, entry: Entry, found: Stats | undefined): void {
  if (found?.isSymbolicLink() && readlinkSync(path) === entry.target) return;
  if (found?.isDirectory()) rmSync(path, { recursive: true });
  replacer.link(path, { target: entry.target!, uid: entry.uid, gid: entry.gid });
}

function settleFile({ replacer }: Settling, path: string, entry: Entry, found: Stats | undefined): void {
  if (found && isRight(path, entry, found)) return;
  if (found?.isDirectory()) rmSync(path, { recursive: true });
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
  return found.size === content.byteLength && Buffer.compare(readFileSync(path), content) === 0;
}
