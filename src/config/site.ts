import { basename, dirname, join, normalize } from 'node:path';
import { splitAtMagic } from './tree/glob.ts';
import { ImageTree, resolvedIn } from './image.ts';
import { checkPlace, under } from './place.ts';
import { trimmed } from './python/values.ts';
import type { Tree } from './tree/tree.ts';

/** Roots for the paths of config.json. Holds the image's directories open. */
export interface Site extends Disposable {
  /** The root for writing, with links resolved. */
  readonly root: string;
  /** The root of the content that fills volumes; equal to `root` if the image itself is written. */
  readonly image: string;
  /** The image, whose links apply to written or mounted paths. */
  readonly links: ImageTree;
  /** The image, if it is not also the root for writing. */
  readonly tree: Tree | undefined;
  /** Set if nothing will be written, so that no path need be writable. */
  readonly onlyCompare: boolean;
  /** Directories that checkIn() has accepted, with the planned access. */
  readonly checked: Set<string>;
}

export function siteOf({
  root,
  image,
  onlyCompare = false,
}: Pick<Site, 'root' | 'image'> & Partial<Pick<Site, 'onlyCompare'>>): Site {
  const links = new ImageTree(image);
  const tree = root === image ? undefined : links;
  return { root, image, onlyCompare, links, tree, checked: new Set(), [Symbol.dispose]: () => links[Symbol.dispose]() };
}

/**
 * Like checkPlace, but once per directory, since nothing changes during planning.
 * @param changes whether files will be written there
 */
export function checkIn({ root, onlyCompare, checked }: Site, path: string, changes: boolean): void {
  const write = changes && !onlyCompare;
  const key = `${write ? 'write' : 'look'} ${dirname(path)}`;
  if (checked.has(key)) return;
  checkPlace(root, path, write);
  checked.add(key);
}

/** The path of a file or link. An existing link at that path is replaced. */
export function fileUnder({ root, links }: Site, path: string): string {
  const bare = bareOf(path);
  return under(root, join(resolvedIn(links, dirname(bare)), basename(bare)));
}

/** The path of a directory. A link to a directory is followed. */
export function directoryUnder({ root, links }: Site, path: string): string {
  return under(root, resolvedIn(links, path));
}

/** The path of a pattern. The part before its first wildcard is resolved; a last slash after one is kept. */
export function patternUnder(site: Site, pattern: string): string {
  const [before, magic] = splitAtMagic(normalize(pattern));
  // A volume is mounted at the target of the image's links, but chown and chmod do not follow the links they find.
  if (magic.length === 0) return site.tree === undefined ? fileUnder(site, pattern) : directoryUnder(site, pattern);
  return join(directoryUnder(site, before), ...magic, pattern.endsWith('/') ? '/' : '');
}

/** The normalized path of config.json, without trailing slashes. */
export function bareOf(path: string): string {
  return trimmed(normalize(path));
}

/** Strips the root from a path on disk, with the image's links resolved. */
export function nameOf({ root }: Pick<Site, 'root'>, path: string): string {
  return root === '/' ? path : path.slice(root.length) || '/';
}

/** Maps a path to the name that this pattern matches, for excludes. */
export function calledBy(site: Site, pattern: string): (name: string) => string {
  const bare = bareOf(pattern);
  const place = nameOf(site, patternUnder(site, bare));
  const length = splitAtMagic(bare)[1].reduce((sum, part) => sum + 1 + part.length, 0);
  const [written, real] = [bare, place].map((path) => path.slice(0, path.length - length)) as [string, string];
  return (name) => (name === real || name.startsWith(`${real}/`) ? written + name.slice(real.length) : name);
}
