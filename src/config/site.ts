import { basename, dirname, join, normalize } from 'node:path';
import { hasMagic } from './glob.ts';
import { ImageTree, resolvedIn } from './image.ts';
import { checkPlace, under } from './place.ts';
import type { Tree } from './set-configs/tree.ts';

/** Where the paths of config.json lie. */
export interface Site {
  /** What is written, without links. */
  readonly root: string;
  /** What is seeded from; the same as root when the image itself is written. */
  readonly image: string;
  /** The image: its links hold for what is written, or will be mounted over it. */
  readonly links: ImageTree;
  /** The image, when it is not what is written. */
  readonly tree: Tree | undefined;
  /** Nothing will be written, so nothing need be writable. */
  readonly onlyCompare: boolean;
  /** Directories that checkIn() has nothing against, with what shall be done there. */
  readonly checked: Set<string>;
}

export function siteOf({
  root,
  image,
  onlyCompare = false,
}: Pick<Site, 'root' | 'image'> & Partial<Pick<Site, 'onlyCompare'>>): Site {
  const links = new ImageTree(image);
  return { root, image, onlyCompare, links, tree: root === image ? undefined : links, checked: new Set() };
}

/** As checkPlace, once for all that lies in one directory: while it is planned, nothing changes. @param changes whether we will write there */
export function checkIn({ root, onlyCompare, checked }: Site, path: string, changes: boolean): void {
  const write = changes && !onlyCompare;
  const key = `${write ? 'write' : 'look'} ${dirname(path)}`;
  if (checked.has(key)) return;
  checkPlace(root, path, write);
  checked.add(key);
}

/** The place of a file or link; a link that is there itself will be replaced. */
export function fileUnder({ root, links }: Site, path: string): string {
  const bare = bareOf(path);
  return under(root, join(resolvedIn(links, dirname(bare)), basename(bare)));
}

/** The place of a directory; a link to a directory is followed. */
export function directoryUnder({ root, links }: Site, path: string): string {
  return under(root, resolvedIn(links, path));
}

/** The place of a pattern: what stands before its first magic part is followed. */
export function patternUnder(site: Site, pattern: string): string {
  const parts = normalize(pattern).split('/');
  const at = parts.findIndex(hasMagic);
  // A volume is mounted where a link of the image leads; but chown and chmod follow none that they find.
  if (at === -1) return site.tree === undefined ? fileUnder(site, pattern) : directoryUnder(site, pattern);
  return join(directoryUnder(site, parts.slice(0, at).join('/') || '/'), ...parts.slice(at));
}

/** As config.json could write it: one spelling a path, no slash at the end. */
export function bareOf(path: string): string {
  return normalize(path).replace(/(?<=.)\/+$/, '');
}

/** What config.json could call a place on this disk, without the image's links. */
export function nameOf({ root }: Pick<Site, 'root'>, path: string): string {
  return root === '/' ? path : path.slice(root.length) || '/';
}

/** How a place is called by who has come to it through this pattern: an exclude is written so. */
export function calledBy(site: Site, pattern: string): (name: string) => string {
  const bare = bareOf(pattern);
  const place = nameOf(site, patternUnder(site, bare));
  const at = bare.split('/').findIndex(hasMagic);
  const magic = at === -1 ? '' : `/${bare.split('/').slice(at).join('/')}`;
  const [written, real] = [bare, place].map((path) => path.slice(0, path.length - magic.length)) as [string, string];
  return (name) => (name === real || name.startsWith(`${real}/`) ? written + name.slice(real.length) : name);
}
