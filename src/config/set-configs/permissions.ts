import { parseOctal, searchable } from '../tree/access.ts';
import { excluder } from '../tree/exclude.ts';
import { globIn, hasMagic } from '../tree/glob.ts';
import { unexpected } from '../failure/failure.ts';
import { whyMisplaced } from '../read/slips.ts';
import { ForeignLinkError, naming } from '../tree/links.ts';
import { isTrue, join, text, typeName, type Mapping } from '../python/values.ts';
import type { Entry } from '../tree/entry.ts';
import type { Work } from './work.ts';

/** Owner and mode to set on a path, with links followed. Without `perm` the mode is kept. */
export interface Permission {
  readonly uid: number;
  readonly gid: number;
  readonly perm: unknown;
  readonly place: string;
}

export function handlePermission(work: Work, entry: Mapping, place: string): void {
  const { tree } = work.changes;
  const misplaced = whyMisplaced(entry);
  if (misplaced !== undefined) throw unexpected(`${place} ${misplaced}`);
  const { uid, gid } = work.owners.idsOf(entry['owner'], place);
  const permission = { uid, gid, perm: entry['perm'], place };
  const exclude = `${place}.exclude`;
  const excluded = excluder(entry['exclude'], { place: exclude, limited: exclude, code: BAD_CONFIG });
  const pattern = text(entry['path'], `${place}.path`);
  for (const top of globIn(tree, pattern)) {
    if (hasMagic(pattern) && isForeign(work, top, uid, place)) continue;
    naming(`${place}.path`, () => setPermission(work, top, permission));
    if (!isTrue(entry['recurse'])) continue;
    if (tree.isDirectory(top)) below(work, top, tree.find(top, true).path, permission, excluded);
  }
}

/**
 * Whether a pattern's match is skipped because of another user's link. The match may be the service's own object, so
 * that link must not fail the whole start.
 */
function isForeign({ changes, lines }: Work, path: string, uid: number, place: string): boolean {
  try {
    changes.findToGive(path, uid);
    return false;
  } catch (error) {
    if (!(error instanceof ForeignLinkError)) throw error;
    lines.warning(`${place}.path: ${path} is skipped: ${error.message}`);
    return true;
  }
}

/** Kolla's exit code for an invalid configuration. */
const BAD_CONFIG = 1;

function below(
  work: Work,
  directory: string,
  top: string,
  permission: Permission,
  excluded: (path: string) => boolean,
) {
  const { tree } = work.changes;
  for (const name of tree.list(directory)) {
    const path = join(directory, name);
    const isLink = tree.lstat(path)?.kind === 'link';
    // A service may create links in its directories; they must not lead outside of them.
    const leadsOut = isLink && !tree.find(path, true).path.startsWith(`${top === '/' ? '' : top}/`);
    if (!excluded(path) && !leadsOut) setPermissionBelow(work, path, permission);
    if (!isLink && tree.isDirectory(path)) below(work, path, top, permission, excluded);
  }
}

function setPermissionBelow(work: Work, path: string, permission: Permission): void {
  const { changes, lines } = work;
  const entry = changes.tree.stat(path);
  const why = entry && changes.whyNotFor(permission.uid, entry);
  if (why === undefined) setPermissionOf(work, path, entry, permission);
  else lines.warning(`${permission.place}.path: ${path} is skipped: ${why}`);
}

/**
 * Throws ForeignLinkError if a link of another user leads to the path, or if another user may have created a hard link
 * to it.
 */
export function setPermission(work: Work, path: string, permission: Permission): void {
  setPermissionOf(work, path, work.changes.findToGive(path, permission.uid), permission);
}

export function setPermissionOf(
  { changes, lines }: Work,
  path: string,
  entry: Entry | undefined,
  { uid, gid, perm, place }: Permission,
): void {
  lines.info(`Setting permission for ${path}`);
  if (entry === undefined) {
    lines.warning(`${path} does not exist`);
    return;
  }
  changes.own(entry, uid, gid);
  if (!isTrue(perm)) return;
  const mode = parseMode(perm, `${place}.perm`);
  changes.setMode(entry, entry.kind === 'directory' ? searchable(mode) : mode);
}

/** The mode of octal digits. Throws exit code 2 for anything else. */
export function parseMode(perm: unknown, place: string): number {
  if (typeof perm !== 'string')
    throw unexpected(`${place} must be octal digits in quotes, such as "0600", but is ${typeName(perm)}`);
  const mode = parseOctal(perm);
  if (mode === undefined) throw unexpected(`${place}: '${perm}' is not octal digits, such as 0600`);
  return mode;
}
