import { basename, dirname, join, normalize } from 'node:path';
import { hasMagic } from './glob.ts';
import { resolvedIn, treeOf } from './image.ts';
import { under } from './place.ts';
import type { Tree } from './set-configs/tree.ts';

/** Where the paths of config.json lie. */
export interface Site {
  /** What is written, without links. */
  readonly root: string;
  /** What is seeded from; the same as root when the image itself is written. */
  readonly image: string;
  /** The image, when it is not what is written: its links hold for what will be mounted over it. */
  readonly tree: Tree | undefined;
  /** Nothing will be written, so nothing need be writable. */
  readonly onlyCompare: boolean;
}

export function siteOf({
  root,
  image,
  onlyCompare = false,
}: Omit<Partial<Site>, 'tree'> & Pick<Site, 'root' | 'image'>): Site {
  return { root, image, onlyCompare, tree: root === image ? undefined : treeOf({ root: image }) };
}

/** The place of a file or link; a link that the image has there is what it will stand for. */
export function fileUnder({ root, tree }: Site, path: string): string {
  const bare = bareOf(path);
  return under(root, join(resolvedIn(tree, dirname(bare)), basename(bare)));
}

/** The place of a folder; a link of the image to a folder is followed. */
export function folderUnder({ root, tree }: Site, path: string): string {
  return under(root, resolvedIn(tree, path));
}

/** The place of a pattern: what stands before its first magic part is followed. */
export function patternUnder(site: Site, pattern: string): string {
  const parts = normalize(pattern).split('/');
  const at = parts.findIndex(hasMagic);
  if (at === -1) return folderUnder(site, pattern);
  return join(folderUnder(site, parts.slice(0, at).join('/') || '/'), ...parts.slice(at));
}

/** As config.json could write it: one spelling a path, no slash at the end. */
export function bareOf(path: string): string {
  return normalize(path).replace(/(?<=.)\/+$/, '');
}
