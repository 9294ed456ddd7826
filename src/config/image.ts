import { basename, dirname, join, normalize } from 'node:path';
import { Tree } from './set-configs/tree.ts';

/** Where the image's own content lies: `/` in a container, a folder on a developer's machine; undefined: unknown. */
export interface Image {
  readonly root: string | undefined;
}

/** The image's folders and links, looked at as they are asked for. */
export function treeOf({ root }: Image): Tree | undefined {
  return root === undefined ? undefined : new Tree(root);
}

/** The path without the image's links in it, as far as it exists there: a volume lies where `/var/run` leads. */
export function resolvedIn(image: Tree | undefined, path: string): string {
  const bare = normalize(path).replace(/(?<=.)\/+$/, '');
  if (image === undefined || bare === '/') return bare;
  const place = image.find(bare, true);
  return place.entry === undefined ? join(resolvedIn(image, dirname(bare)), basename(bare)) : place.path;
}
