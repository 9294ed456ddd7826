import { basename, dirname, join, normalize } from 'node:path';
import type { Entry } from './set-configs/entry.ts';
import { Tree } from './set-configs/tree.ts';

/** Where the image's own content lies: `/` in a container, a directory on a developer's machine; undefined: unknown. */
export interface Image {
  readonly root: string | undefined;
}

/** The image's directories and links, looked at as they are asked for; undefined where it is unknown. */
export function treeOf({ root }: Image): ImageTree | undefined {
  return root === undefined ? undefined : new ImageTree(root);
}

/**
 * Without root much of an image can't be looked at (`/root`), and a name in config.json may be longer than any file's:
 * such a thing can neither be copied nor lead anywhere, so it is as good as absent. Whoever writes there hears of it then.
 */
export class ImageTree extends Tree {
  /** Where paths lead: many files lie in one directory. */
  readonly resolved = new Map<string, string>();

  override child(directory: Entry, name: string): Entry | undefined {
    try {
      return super.child(directory, name);
    } catch (error) {
      if (isOutOfSight(error)) return undefined;
      throw error;
    }
  }
}

/** Whether the system refuses to say what is there. */
export function isOutOfSight(error: unknown): boolean {
  return ['EACCES', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** The path without the image's links in it, as far as it exists there: a volume lies where `/var/run` leads. */
export function resolvedIn(image: ImageTree | undefined, path: string): string {
  const known = image?.resolved.get(path);
  if (known !== undefined) return known;
  const bare = normalize(path).replace(/(?<=.)\/+$/, '');
  if (image === undefined || bare === '/') return bare;
  const place = image.find(bare, true);
  const found = place.entry === undefined ? join(resolvedIn(image, dirname(bare)), basename(bare)) : place.path;
  image.resolved.set(path, found);
  return found;
}
