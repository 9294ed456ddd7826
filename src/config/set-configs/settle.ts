import { join } from 'node:path';
import { changedMeanwhile } from '../../fs/content.ts';
import { putFile, putLink, removeStale } from '../../fs/replacer.ts';
import type { Directory, Handle } from '../../fs/tree.ts';
import { giveAccess, isUpToDate } from '../tree/access.ts';
import type { Lines } from './lines.ts';
import { reportingRefusals } from './refusal.ts';
import { CONFIGURED } from './steps.ts';
import { isOf, pathOnDisk, type Entry } from '../tree/entry.ts';
import type { Tree } from '../tree/tree.ts';

interface Settling {
  readonly tree: Tree;
  readonly lines: Lines;
  /** Deletions run last, so that a kill before them loses nothing; only CONFIGURED follows them. */
  readonly doomed: (() => void)[];
}

/**
 * Writes the tree to disk. Objects that are up to date are not touched; every file is replaced atomically. The image's
 * own files are saved before they are replaced, and deletions come last. Each name is created in the directory that was
 * examined, even if another directory or a link has replaced that directory since. Throws the system's error.
 */
export function settle(tree: Tree, lines: Lines): void {
  const settling: Settling = { tree, lines, doomed: [] };
  settleEntries(settling, tree.top, 0);
  for (const remove of settling.doomed) remove();
}

/** Directory of the saved image files and of the state. */
const KEPT = ['etc', 'kolla', 'defaults'];
const STATE = 'state';

/**
 * Saved files are written first, since their originals are about to be replaced. The state, which records them,
 * follows. CONFIGURED is last: after a failure, the next start must not take the rest as copied.
 */
function namesOf({ children }: Entry, depth: number): Iterable<string> {
  const first = KEPT[depth];
  const names = new Set(first !== undefined && children.has(first) ? [first, ...children.keys()] : children.keys());
  const last = depth === 0 ? CONFIGURED.slice(1) : depth === KEPT.length ? STATE : undefined;
  if (last !== undefined && names.delete(last)) names.add(last);
  return names;
}

/** Writes the entries of a directory that exists on disk. The directory is opened only if something in it changes. */
function settleEntries(settling: Settling, directory: Entry, depth: number): void {
  const { tree, doomed } = settling;
  let isPut = false;
  const put = (act: (handle: Directory) => void) => {
    if (!isPut) removeStale(tree.held(directory));
    isPut = true;
    act(tree.held(directory));
  };
  for (const name of namesOf(directory, depth)) {
    const entry = directory.children.get(name);
    if (entry === undefined) {
      if (tree.held(directory).lstat(name) !== undefined) doomed.push(() => tree.held(directory).remove(name));
    } else if (entry.kind === 'directory') {
      settleDirectory(settling, directory, name, entry);
      settleEntries(settling, entry, depth + 1);
    } else if (entry.onDisk === undefined) {
      const write = () => settleThing(settling, directory, name, entry, put);
      if (depth === 0 && `/${name}` === CONFIGURED)
        doomed.push(() => {
          write();
          tree.held(directory).sync();
        });
      else write();
    } else if (entry.touched) {
      using handle = tree.held(directory).hold(name);
      if (handle !== undefined) settleAccess(settling, handle, entry);
    }
  }
  if (isPut) tree.held(directory).sync();
}

/** Creates the directory if missing, and schedules the deletion of its previous content if it is replaced. */
function settleDirectory(settling: Settling, directory: Entry, name: string, entry: Entry): void {
  const { tree, doomed } = settling;
  if (entry.onDisk !== undefined) {
    if (entry.touched) settleAccess(settling, tree.held(entry), entry);
    return;
  }
  const above = tree.held(directory);
  const found = above.lstat(name);
  const isThere = found?.isDirectory() === true;
  if (!isThere) {
    if (found !== undefined) above.unlink(name);
    // A parent gets its final mode at once, since a start after a kill keeps it. Others are private until their owner is set.
    above.make(name, entry.touched ? entry.mode & 0o700 : entry.mode);
  }
  const handle = tree.keep(entry, directory, above.open(name));
  if (isThere) settleAccess(settling, handle, entry);
  else {
    const tries = reportingRefusals(settling.lines, handle.path, entry);
    // Otherwise the system has set the owner that Kolla's tool leaves.
    if (entry.touched) tries('owner', () => handle.chown(entry.uid, entry.gid));
    tries('mode', () => handle.chmod(entry.mode));
  }
  for (const one of handle.list()) if (!entry.children.has(one)) doomed.push(() => tree.held(entry).remove(one));
}

function settleAccess({ lines }: Settling, handle: Handle, entry: Entry): void {
  const found = handle.stat();
  if (!isOf(entry.onDisk!, found)) throw changedMeanwhile(pathOnDisk(entry.onDisk!));
  giveAccess(handle, found, entry, reportingRefusals(lines, handle.path, entry));
}

/** Writes a file or link if it is missing or out of date. */
function settleThing(
  { tree, lines }: Settling,
  directory: Entry,
  name: string,
  entry: Entry,
  put: (act: (handle: Directory) => void) => void,
): void {
  const handle = tree.held(directory);
  const found = handle.lstat(name);
  const { kind, mode, uid, gid, times } = entry;
  const target = entry.target ?? '';
  if (kind === 'link') {
    if (found?.isSymbolicLink() && handle.readlink(name) === target) return;
    if (found?.isDirectory()) handle.remove(name);
    put((there) => putLink(there, name, target));
    return;
  }
  const content = tree.contentOf(entry);
  if (found && isUpToDate(found, entry, content, () => handle.holds(name, content))) return;
  if (found?.isDirectory()) handle.remove(name);
  const path = join(handle.path, name);
  const tries = reportingRefusals(lines, path, entry);
  put((there) => putFile(there, name, { content, mode, uid, gid, times, tries }));
}
