import type { Saved } from '../state/saved.ts';
import type { HeldFile } from './held-file.ts';
import type { Sibling } from './listing.ts';
import type { Mark } from '../position/progress.ts';
import { isProved, lastUnchanged } from '../position/trail.ts';

/** Where a file continues an entry of the checkpoint. */
export interface Resumption {
  readonly saved: Saved;
  /** The position from which it is read. */
  readonly mark: Mark;
  /** Whether the bytes before the saved position are unchanged. Otherwise `mark` is before it. */
  readonly isWhole: boolean;
}

/** A file next to the path that continues an entry of the checkpoint. */
export interface Moved {
  readonly sibling: Sibling;
  readonly resumption: Resumption;
}

/** Where a file continues an entry of the checkpoint; undefined if it is another one. */
export function resumptionIn(file: HeldFile, saved: Saved): Resumption | undefined {
  const { generation, mark, trail } = saved;
  if (!isBeginning(saved, file.beginning())) return undefined;
  const isInPlace = file.ino === generation.ino;
  const last = trail?.points.at(-1);
  const isWhole =
    trail === undefined || mark.offset === 0
      ? // Builds without proofs compared the size.
        isInPlace && file.stat().size >= mark.offset
      : last !== undefined && isProved(file, last.proof);
  if (isWhole) return { saved, mark, isWhole };
  const known = trail ?? { points: [], rungs: [] };
  const from =
    trail === undefined && isInPlace ? startOf(saved) : lastUnchanged(file, known, startOf(saved), isInPlace);
  return from && { saved, mark: from, isWhole };
}

/** Whether a file that starts like this may match the entry. */
export function isBeginning({ generation: { head } }: Saved, beginning: Buffer): boolean {
  return head.equals(beginning.subarray(0, head.length));
}

/** The position of a generation's first line. */
export function startOf({ generation }: Pick<Saved, 'generation'>): Mark {
  return { offset: 0, skipping: false, timeMs: generation.firstSeenMs };
}

/**
 * The best of the files that continue an entry: the one that was read, unchanged; a copy of it; then one that was changed.
 * @param others looks for a copy, and for rotated files that were written since
 */
export function bestOf(
  saved: Saved,
  resumed: ReadonlyMap<Sibling, Resumption>,
  others: { readonly copy: () => Sibling | undefined; readonly later: () => readonly Sibling[] },
): Moved | undefined {
  const all = [...resumed].map(([sibling, resumption]) => ({ sibling, resumption }));
  const isOwn = ({ sibling }: Moved) => sibling.stat.ino === saved.generation.ino;
  const whole = all.find((each) => each.resumption.isWhole && isOwn(each));
  if (whole !== undefined) return whole;
  const copy = others.copy();
  if (copy !== undefined)
    return { sibling: copy, resumption: resumed.get(copy) ?? { saved, mark: saved.mark, isWhole: true } };
  const later = others.later();
  return all.find(isOwn) ?? all.find(({ sibling }) => later.includes(sibling));
}
