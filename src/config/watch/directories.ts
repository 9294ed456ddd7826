import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { followAt, isThere } from '../../fs/access.ts';

/** The kubelet's link to a volume's content, replaced by a rename on each update. */
const DATA_LINK = '..data';

/** A directory whose entries must be watched. */
export interface WatchedDirectory {
  readonly path: string;
  /** Names of entries that matter; of a configuration's own directory all do that are not internal to the kubelet. */
  readonly names: ReadonlySet<string>;
  readonly isWhole: boolean;
}

/**
 * The directories in which changes of these absolute paths show: of each path its parent, or the nearest one that exists,
 * so that removal and re-creation are noticed; those at and below it; the same for its target if it is a link; and those
 * with a `..data` above it, since a source such as /etc/extra/a.conf is a link through one.
 */
export function directoriesOf(paths: readonly string[]): WatchedDirectory[] {
  const directories = new Map<string, { path: string; names: Set<string>; isWhole: boolean }>();
  const directoryAt = (path: string) => {
    const found = directories.get(path) ?? { path, names: new Set(), isWhole: false };
    directories.set(path, found);
    return found;
  };
  const addEntry = (path: string) => {
    const directory = dirname(path);
    if (followAt(directory)?.isDirectory() !== true) addEntry(directory);
    // What is reached through `..data` never changes, but is replaced with it.
    else if (!isInternal(targetOf(directory))) directoryAt(directory).names.add(basename(path));
  };
  const addTree = (directory: string) => {
    directoryAt(directory).isWhole = true;
    for (const name of directoriesIn(directory)) addTree(join(directory, name));
  };
  for (const path of paths) {
    const target = targetOf(path);
    for (const each of target === path || isInternal(target) ? [path] : [path, target]) {
      addEntry(each);
      if (each === target && followAt(each)?.isDirectory() === true) addTree(each);
      for (const link of dataLinksOf(each)) addEntry(link);
    }
  }
  return [...directories.values()];
}

/** Whether an event about that entry matters. */
export function isWanted({ names, isWhole }: WatchedDirectory, name: string): boolean {
  return (isWhole && !isInternal(name)) || names.has(name);
}

/** The path without links; the path itself if it is inaccessible. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Subdirectories, not followed through links. Empty if they can't be listed: then they can't be watched either. */
function directoriesIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && !isInternal(entry.name) ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** The `..data` links of a path's volumes. */
function dataLinksOf(path: string): string[] {
  if (path === '/') return [];
  const link = join(dirname(path), DATA_LINK);
  return [...(isThere(link) ? [link] : []), ...dataLinksOf(dirname(path))];
}

/** Whether the path is in one of the kubelet's internal directories, whose content is visible only through `..data`. */
function isInternal(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('..') && name !== DATA_LINK);
}
