import type { Saved } from '../state/saved.ts';
import { HeldFile } from './held-file.ts';
import { statOf, type Sibling } from './listing.ts';
import type { OpenLog } from './open-log.ts';
import { isBeginning, resumptionIn } from './resumption.ts';

const NO_BUFFER = Buffer.alloc(0);

/** The reading position of content that is no longer at its path. */
export interface Unread {
  readonly path: string;
  readonly matches: (beginning: Buffer) => boolean;
  readonly position: number;
  /** Whether that file, which starts alike, has the bytes before the position, as far as it reaches. */
  readonly isIn: (file: HeldFile) => boolean;
  readonly modifiedMs: number;
}

/** The position of an entry of the checkpoint. */
export function unreadOf(saved: Saved): Unread {
  const { generation, mark, modifiedMs, trail } = saved;
  return {
    path: generation.path,
    matches: (beginning) => isBeginning(saved, beginning),
    position: mark.offset,
    // Builds without proofs compared the start.
    isIn: (file) => trail === undefined || resumptionIn(file, saved)?.isWhole === true,
    modifiedMs,
  };
}

/** The path of the entry's file if the system refuses to read it, for now or for ever. */
export function unreadableAt(
  siblings: readonly Sibling[],
  { generation: { path, ino } }: Saved,
  open: OpenLog,
): string | undefined {
  const own = siblings.find(({ stat }) => stat.ino === ino);
  const isUnreadable = (at: string) => {
    try {
      using file = new HeldFile(at, NO_BUFFER, open);
      return !file.isReadable;
    } catch {
      return statOf(at)?.isFile() === true;
    }
  };
  return [path, own?.at].find((at) => at !== undefined && isUnreadable(at));
}
