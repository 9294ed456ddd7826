import { LEAD_BYTES } from '../position/trail.ts';
import type { Saved } from '../state/saved.ts';
import { savedFrom, type Content } from './content.ts';
import { HeldFile } from './held-file.ts';
import { statOf, type Sibling } from './listing.ts';
import type { OpenLog } from './open-log.ts';
import { isBeginning, resumptionIn } from './resumption.ts';
import type { Displaced } from './tail-options.ts';

const NO_BUFFER = Buffer.alloc(0);

/** The reading position of content that is no longer at its path. */
export interface Unread {
  readonly path: string;
  readonly matches: (beginning: Buffer) => boolean;
  readonly position: number;
  /** Whether that file, which starts alike, has the bytes before the position, as far as it reaches. */
  readonly isIn: (file: HeldFile) => boolean;
  /** Whether enough bytes before the position tell that, whatever the time: a service may start all of its logs with a few. */
  readonly isProved: (file: HeldFile) => boolean;
  readonly modifiedMs: number;
  /** The largest size that was seen, if the content was followed until it left its path. */
  readonly size?: number;
}

/** The position of an entry of the checkpoint. */
export function unreadOf(saved: Saved): Unread {
  const { generation, mark, modifiedMs, trail } = saved;
  const isWhole = (file: HeldFile) => resumptionIn(file, saved)?.isWhole === true;
  return {
    path: generation.path,
    matches: (beginning) => isBeginning(saved, beginning),
    position: mark.offset,
    // Builds without proofs compared the start.
    isIn: (file) => trail === undefined || isWhole(file),
    isProved: (file) => trail !== undefined && mark.offset >= LEAD_BYTES && isWhole(file),
    modifiedMs,
  };
}

/** Our position in content that was truncated while it was followed. */
export function unreadIn(content: Content, { position, lead, modifiedMs, size }: Displaced): Unread {
  const { generation } = content;
  const saved = unreadOf(savedFrom(content));
  return {
    path: generation.path,
    matches: (beginning) => generation.matches(beginning),
    position,
    // A shorter copy was made before we read the last lines, which logrotate then discarded.
    isIn: (file) => file.hasUpTo(position, lead),
    // Of a file that rested fewer bytes are known, but all that was read is acknowledged, and has a proof.
    isProved: (file) =>
      lead.length >= LEAD_BYTES ? file.hasBefore(position, lead) : saved.position === position && saved.isProved(file),
    modifiedMs,
    size,
  };
}

/**
 * The copy of content that is no longer at its path, among the files next to it: one from after the last write that was seen,
 * otherwise one from before it. Logrotate syncs a copy before it truncates the original, which may be written to meanwhile, and a
 * clock may be set back.
 * @param is judges the open file
 */
export function copyOf(
  { position, matches, isIn, isProved, modifiedMs, size = 0 }: Unread,
  siblings: readonly Sibling[],
  is: (sibling: Sibling, judge: (file: HeldFile) => boolean) => boolean,
): Sibling | undefined {
  const isCopy = (file: HeldFile) => matches(file.beginning()) && isIn(file);
  const isCut = ({ stat }: Sibling) => position > 0 && stat.size > position && stat.size < size;
  return (
    siblings.find((each) => each.stat.mtimeMs >= modifiedMs && is(each, isCopy)) ??
    siblings.findLast((each) => is(each, (file) => isCopy(file) && (isCut(each) || isProved(file))))
  );
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
