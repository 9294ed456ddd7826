import type { Log } from '../../core/log.ts';
import type { Counts } from '../report/counts.ts';
import type { Saved } from '../state/saved.ts';
import type { Resumption } from './resumption.ts';
import { isCompressed, unzippedHead, type Sibling } from './listing.ts';
import type { OpenLog } from './open-log.ts';
import type { Unread } from './unread.ts';

interface Report {
  readonly counts: Counts;
  readonly log: Log;
}

const NOTHING = Buffer.alloc(0);

/**
 * Counts and logs bytes that were in a file and are gone.
 * @param lost number of those that were not read
 */
export function reportVanished(text: string, lost: number, { counts, log }: Report): void {
  counts.lostBytes += lost;
  if (lost > 0) log.warn(`${text}: ${lost} bytes are lost`, { lost });
  else log.info(text);
}

/**
 * Reports content that was replaced and is in no other file, or only in a compressed one.
 * @param seen number of bytes after the position when the file was seen last
 * @param siblings files next to it
 * @param what happened to it
 */
export function reportReplaced(
  { path, position, matches }: Pick<Unread, 'path' | 'position' | 'matches'>,
  seen: number,
  siblings: readonly Sibling[],
  { open, ...report }: Report & { readonly open: OpenLog },
  what = 'was replaced',
): void {
  const zipped = siblings.find(({ at }) => isCompressed(at) && matches(unzippedHead(at, open)?.head ?? NOTHING));
  const size = zipped === undefined ? undefined : unzippedHead(zipped.at, open)?.size;
  const where = zipped === undefined ? 'there is no copy next to it' : `${zipped.at} is compressed already`;
  const lost = size === undefined ? seen : Math.max(0, size - position);
  reportVanished(`${path} ${what} after byte ${position}, and ${where}`, lost, report);
}

/**
 * Reports what happened to a file of the checkpoint while no shipper ran.
 * @param size of the file
 */
export function reportResumption({ saved, mark, isWhole }: Resumption, size: number, report: Report): void {
  const { generation, mark: before, size: sizeBefore = 0 } = saved;
  if (!isWhole) reportVanished(rewound(generation.path, before.offset, mark.offset), unreadBytes(saved), report);
  else if (size < sizeBefore) reportVanished(shortened(generation.path, size), sizeBefore - size, report);
}

/** Number of bytes that were in the file of an entry, and that it does not cover. */
export function unreadBytes({ mark, size = 0 }: Saved): number {
  return Math.max(0, size - mark.offset);
}

/**
 * @param position up to which the file was read or shipped
 * @param from where reading continues
 */
export function rewound(path: string, position: number, from: number): string {
  const why = 'after a power failure, a truncation or a restored backup';
  return `${path} has other bytes before byte ${position} than when it was read, as ${why}; it is read from byte ${from}, and lines that were shipped keep their ids`;
}

export function shortened(path: string, size: number): string {
  return `${path} was cut to ${size} bytes before its end was read`;
}
