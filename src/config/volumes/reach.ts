import { dirname } from 'node:path';
import type { Identity } from '../owner.ts';
import type { Entry } from '../tree/entry.ts';
import type { Tree } from '../tree/tree.ts';

/** A directory that only root can access in every image. */
const CLOSED = '/root';

/**
 * Why the Pod's user cannot reach a mount's path, with the fix; undefined if it can. The parents of a mount belong to
 * the image, and no volume changes their modes.
 * @param image if undefined, only facts about all images are used
 */
export function whyNotReached(path: string, image: Tree | undefined, user: Identity): string | undefined {
  for (let directory = dirname(path); directory !== '/'; directory = dirname(directory)) {
    const isOpen = image === undefined ? directory !== CLOSED : mayEnter(image.stat(directory), user);
    if (!isOpen)
      return `${directory} is closed to uid ${user.uid} in the image, so what is mounted below can't be reached; give it another dest, or open ${directory} in the image (chmod o+x)`;
  }
  return undefined;
}

/** Paths missing in the image are created for the mount, accessible to all. */
function mayEnter(directory: Entry | undefined, { uid, groups }: Identity): boolean {
  if (directory === undefined) return true;
  const shift = directory.uid === uid ? 6 : groups.includes(directory.gid) ? 3 : 0;
  return ((directory.mode >> shift) & 1) === 1;
}
