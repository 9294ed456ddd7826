import type { Stats } from 'node:fs';
import type { Content } from '../../fs/content.ts';
import type { Handle } from '../../fs/tree.ts';
import { throwRefusal, type FileImage, type TryAccess } from '../../fs/write-file.ts';

/** Owner and mode of an installed object. An ID of -1 is not changed. */
export interface Access {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** An undefined mode is not changed. */
type Wanted = Omit<Access, 'mode'> & { readonly mode: number | undefined };

/** A mode such as `600`, `0600`, `0o600` or `0o0600`; undefined for anything else. */
export function parseOctal(digits: string): number | undefined {
  const digitsOnly = /^(?:0o)?([0-7]{3,4})$/.exec(digits)?.[1];
  return digitsOnly === undefined ? undefined : Number.parseInt(digitsOnly, 8);
}

/** The mode as four octal digits. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** Modes in config.json are meant for files; a readable directory must also be searchable. */
export function searchable(mode: number): number {
  return mode | ((mode & 0o444) >> 2);
}

/** The mode of a file after chown, which clears setuid, and setgid of a group that may execute it. */
export function afterChown(mode: number): number {
  return mode & ((mode & 0o010) === 0 ? ~0o4000 : ~0o6000);
}

/** Whether an object has that owner. */
export function hasOwner(found: Stats, { uid, gid }: Omit<Access, 'mode'>): boolean {
  return (uid === -1 || found.uid === uid) && (gid === -1 || found.gid === gid);
}

export function hasAccess(found: Stats, wanted: Wanted): boolean {
  return (wanted.mode === undefined || (found.mode & 0o7777) === wanted.mode) && hasOwner(found, wanted);
}

/**
 * Sets the properties that differ. The mode is last, since chown clears set-id bits. A link has no mode of its own.
 * @param tries makes each change; throws or reports the system's error
 */
export function giveAccess(handle: Handle, found: Stats, wanted: Wanted, tries: TryAccess = throwRefusal): void {
  const { mode, uid, gid } = wanted;
  const isOwned = hasOwner(found, wanted);
  if (!isOwned) tries('owner', () => handle.chown(uid, gid));
  if (mode === undefined || found.isSymbolicLink() || (isOwned && (found.mode & 0o7777) === mode)) return;
  tries('mode', () => handle.chmod(mode));
}

/** Precision of preserved times, which the tree stores as doubles. */
const TIME_TOLERANCE_MS = 0.002;

/**
 * Whether an object is a file in its final state.
 * @param holds compares the content; called last
 */
export function isUpToDate(
  found: Stats,
  wanted: Access & Pick<FileImage, 'times'>,
  content: Content,
  holds: () => boolean,
): boolean {
  if (!found.isFile() || !hasAccess(found, wanted) || found.size !== content.byteLength) return false;
  const { times } = wanted;
  return (times === undefined || Math.abs(times.mtime * 1000 - found.mtimeMs) <= TIME_TOLERANCE_MS) && holds();
}
