import { dirname } from 'node:path';
import type { Identity } from '../owner.ts';
import type { Entry } from '../set-configs/entry.ts';
import type { Tree } from '../set-configs/tree.ts';

/** Closed to all but root in every image. */
const CLOSED = '/root';

/**
 * Why the Pod's user can't get to what is mounted at a path, with the fix, or undefined: what lies above a mount is the
 * image's own, which no volume opens.
 * @param image undefined: only what is so in every image is known
 */
export function whyNotReached(path: string, image: Tree | undefined, user: Identity): string | undefined {
  for (let directory = dirname(path); directory !== '/'; directory = dirname(directory)) {
    const isOpen = image === undefined ? directory !== CLOSED : mayEnter(image.stat(directory), user);
    if (!isOpen)
      return `${directory} is closed to uid ${user.uid} in the image, so what is mounted below can't be reached; give it another dest, or open ${directory} in the image (chmod o+x)`;
  }
  return undefined;
}

/** What the image doesn't have is made for the mount, and open. */
function mayEnter(directory: Entry | undefined, { uid, groups }: Identity): boolean {
  if (directory === undefined) return true;
  const shift = directory.uid === uid ? 6 : groups.includes(directory.gid) ? 3 : 0;
  return ((directory.mode >> shift) & 1) === 1;
}
