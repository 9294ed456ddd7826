import { constants, readlinkSync, type Stats } from 'node:fs';
import { normalize } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { lookAt, may } from '../fs/access.ts';
import { bytesOf, fileHolds, readContent, type Content } from '../fs/content.ts';
import type { FileImage } from '../fs/write-file.ts';
import { afterChown, hasAccess, isUpToDate, searchable } from './tree/access.ts';
import { effective } from './effective.ts';
import type { DirectoryStep, FileStep, LinkStep, PermissionStep, PlanOptions, Step } from './model.ts';
import type { Overlay } from './overlays/overlay.ts';
import { modeFor, type Ownership } from './owner.ts';
import type { FileEntry } from './read/schema.ts';
import { bareOf, checkIn, fileUnder, directoryUnder, nameOf, type Site } from './site.ts';
import type { Match } from './read/sources.ts';

/** Context that every step receives. */
export interface StepContext extends Pick<PlanOptions, 'me' | 'overlay'> {
  readonly site: Site;
  readonly permissions: readonly PermissionStep[];
}

/** The step for one match of an entry. Throws RangeError if its destination is impossible. */
export function copyStep(entry: string, item: FileEntry, match: Match, owner: Ownership, context: StepContext): Step {
  const preserve = item.preserve_properties;
  if (match.kind === 'directory') {
    // As in Kolla, a directory without a perm keeps its mode, or gets mkdir's default.
    const found = lookAt(directoryUnder(context.site, match.dest));
    const kept = found?.isDirectory() ? found.mode & 0o7777 : 0o755;
    const mode = preserve ? match.mode : typeof item.perm === 'number' ? searchable(item.perm) : kept;
    return directoryStep(entry, match.dest, mode, ownerOf(match, owner), context);
  }
  if (item.merge && preserve && match.target !== undefined) return linkStep(entry, match.dest, match.target, context);
  // Same result as in Kolla, which calls chown after chmod.
  const copied = afterChown(match.mode);
  return fileStep(
    entry,
    match.dest,
    {
      content: laidOver(context.overlay, match),
      ...ownerOf(match, owner),
      mode: modeFor(owner, preserve ? copied : (item.perm ?? copied)),
      times: preserve ? match.times : undefined,
    },
    context,
  );
}

/** A file without an overlay is not held in memory, whatever its size. */
function laidOver(overlay: Overlay | undefined, { source, dest }: Match): Content {
  const content = readContent(source);
  return overlay?.files.has(normalize(dest)) ? overlay.apply(dest, bytesOf(content)) : content;
}

function ownerOf(match: Match, owner: Ownership): Ownership {
  return owner.rule === 'as the source' && owner.uid !== -1 ? { ...owner, uid: match.uid, gid: match.gid } : owner;
}

/**
 * @param wanted the file before `permissions` are applied
 */
export function fileStep(
  entry: string,
  dest: string,
  wanted: FileImage & Partial<Ownership>,
  { site, permissions }: Pick<StepContext, 'site' | 'permissions'>,
): FileStep {
  const path = fileUnder(site, dest);
  const { content, times, mode, uid, gid } = effective(wanted, [bareOf(dest), nameOf(site, path)], 'file', permissions);
  const image = { content, times, mode, uid, gid };
  const isRight = isInPlace(path, image);
  checkIn(site, path, !isRight);
  return { kind: 'file', entry, dest: bareOf(dest), path, image, isRight, inPlace: false };
}

export function directoryStep(
  entry: string,
  dest: string,
  mode: number,
  owner: Ownership,
  { site, permissions, me }: StepContext,
): DirectoryStep {
  const path = directoryUnder(site, dest);
  const found = lookAt(path);
  if (found !== undefined && !found.isDirectory()) throw new RangeError(`${path} exists and is not a directory`);
  const asked = { mode: modeFor(owner, mode), uid: owner.uid, gid: owner.gid };
  const wanted = effective(asked, [bareOf(dest), nameOf(site, path)], 'directory', permissions);
  checkIn(site, path, found === undefined);
  const isRight = found !== undefined && (hasAccess(found, wanted) || isLent(path, found, me.uid));
  return { kind: 'directory', entry, dest: bareOf(dest), path, isRight, ...wanted };
}

/**
 * Whether another user's directory can be used as it is. The root directory of a volume belongs to root, and only root
 * can change its owner.
 */
export function isLent(path: string, found: Stats, uid: number): boolean {
  if (uid === 0 || found.uid === uid) return false;
  return may(path, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** @param target the text of the link */
export function linkStep(entry: string, dest: string, target: string, { site }: Pick<StepContext, 'site'>): LinkStep {
  const path = fileUnder(site, dest);
  const found = lookAt(path);
  if (found?.isDirectory()) throw new RangeError(`${path} is a directory, and should be a link to ${target}`);
  const isRight = found?.isSymbolicLink() === true && readlinkSync(path) === target;
  checkIn(site, path, !isRight);
  return { kind: 'link', entry, dest: bareOf(dest), path, isRight, target };
}

function isInPlace(path: string, image: FileImage): boolean {
  const found = lookAt(path);
  if (found === undefined || found.isSymbolicLink()) return false;
  if (found.isDirectory())
    throw new RangeError(`${path} is a directory; end dest with a slash to put the file into it`);
  try {
    return isUpToDate(found, image, image.content, () => fileHolds(path, image.content));
  } catch (error) {
    // With a mode such as 0200 even the owner cannot read the file for the comparison.
    if (codeOf(error) === 'EACCES') return false;
    throw error;
  }
}
