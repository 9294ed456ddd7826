import { basename, dirname, join } from 'node:path';
import { mountPoints } from '../../fs/mount-points.ts';
import { Directory } from '../../fs/tree.ts';
import { isUpToDate } from '../tree/access.ts';
import { unexpected } from '../failure/failure.ts';
import type { Entry } from '../tree/entry.ts';
import type { Tree } from '../tree/tree.ts';

/**
 * Throws exit code 2 if a mount point would have to be replaced or deleted, which the system rejects, possibly after
 * other files were installed. The content of a mounted directory is replaced instead, and a mounted file may stay if it
 * is up to date.
 */
export function refuseMountPoints(tree: Tree): void {
  for (const path of mountedIn(tree.root)) {
    const entry = entryAt(tree, path);
    if (entry === 'untouched' || (entry !== 'removed' && mayStay(entry, tree, path))) continue;
    const fix = 'mount the directory that it is in, or take the entry out of the configuration';
    throw unexpected(`${path} is a mount point, which can't be replaced from within; ${fix}`);
  }
}

/** Mount points below the root, as paths relative to it. */
function mountedIn(root: string): string[] {
  const above = root === '/' ? '' : root;
  const paths = [...mountPoints()].filter((path) => path.startsWith(`${above}/`));
  return paths.map((path) => path.slice(above.length)).filter((path) => path !== '/');
}

/** The planned state of a path. Objects that were not examined stay as they are. */
function entryAt(tree: Tree, path: string): Entry | 'untouched' | 'removed' {
  let entry = tree.top;
  for (const name of path.slice(1).split('/')) {
    if (!entry.children.has(name)) return entry.onDisk === undefined ? 'removed' : 'untouched';
    const child = entry.children.get(name);
    if (child === undefined) return 'removed';
    entry = child;
  }
  return entry;
}

function mayStay(entry: Entry, tree: Tree, path: string): boolean {
  if (entry.onDisk !== undefined) return true;
  using handle = Directory.below(tree.root, dirname(join(tree.root, path)));
  const found = handle.lstat(basename(path));
  if (found === undefined || entry.kind === 'directory') return found?.isDirectory() ?? false;
  if (entry.kind !== 'file') return false;
  const content = tree.contentOf(entry);
  return isUpToDate(found, entry, content, () => handle.holds(basename(path), content));
}
