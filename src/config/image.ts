import type { Stats } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { lookAt } from '../fs/access.ts';
import type { Entry } from './tree/entry.ts';
import { trimmed } from './python/values.ts';
import { Tree } from './tree/tree.ts';

/** The root of the image's content: `/` in a container, a directory on a developer's machine; undefined if unknown. */
export interface Image {
  readonly root: string | undefined;
}

/** The image's directories and links, read on demand; undefined if unknown. */
export function treeOf({ root }: Image): ImageTree | undefined {
  return root === undefined ? undefined : new ImageTree(root);
}

/**
 * Without root, parts of an image are unreadable (`/root`), and a name in config.json may exceed the system's limit.
 * Such paths can be neither copied nor followed and count as missing; the later write reports the error.
 */
export class ImageTree extends Tree {
  /** Cache of resolved paths, since many files share a directory. */
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

/** Same as lookAt, for a path in the image: an inaccessible path counts as missing. */
export function lookAtImages(path: string): Stats | undefined {
  try {
    return lookAt(path);
  } catch (error) {
    if (isOutOfSight(error)) return undefined;
    throw error;
  }
}

/** Whether the error means that the path cannot be accessed. */
function isOutOfSight(error: unknown): boolean {
  return ['EACCES', 'ENAMETOOLONG'].includes(codeOf(error) ?? '');
}

/**
 * The path with the image's links resolved as far as they exist, since a volume is mounted at the target of `/var/run`.
 */
export function resolvedIn(image: ImageTree | undefined, path: string): string {
  const known = image?.resolved.get(path);
  if (known !== undefined) return known;
  const bare = trimmed(normalize(path));
  if (image === undefined || bare === '/') return bare;
  const place = image.find(bare, true);
  const found = place.entry === undefined ? join(resolvedIn(image, dirname(bare)), basename(bare)) : place.path;
  image.resolved.set(path, found);
  return found;
}
