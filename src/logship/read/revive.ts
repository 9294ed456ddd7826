import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { HeldFile } from './held-file.ts';
import { isCompressed, isReachable, statOf, type Beside } from './listing.ts';
import type { OpenLog } from './open-log.ts';
import type { Tail } from './tail.ts';

interface ReviveOptions {
  readonly open: OpenLog;
  readonly beside: Beside;
  /** Whether a tail reads that file. */
  readonly isFollowed: (stat: Stats) => boolean;
}

const NO_BUFFER = Buffer.alloc(0);

/**
 * Replaces the stale descriptor of a tail by another one of the same content, at the file's path or next to it.
 * @returns false if the content is gone; true also while the directory cannot be read, so that this is not known
 */
export function revive(tail: Tail, { open, beside, isFollowed }: ReviveOptions): boolean {
  const { path } = tail;
  if (!isReachable(dirname(path))) return true;
  const own = statOf(path);
  const siblings = beside(path).filter(({ at }) => !isCompressed(at));
  const places = [...(own === undefined ? [] : [{ at: path, stat: own }]), ...siblings];
  // The stale file itself may still be listed.
  const others = places.filter(({ stat }) => tail.file.isSame(stat) || !isFollowed(stat));
  return others.some(({ at }) => isTakenBy(tail, at, open));
}

function isTakenBy(tail: Tail, at: string, open: OpenLog): boolean {
  try {
    using file = new HeldFile(at, NO_BUFFER, open);
    if (!tail.hasRead(file)) return false;
    tail.file.adopt(file);
    return true;
  } catch {
    return false; // inaccessible: as if it were missing
  }
}
