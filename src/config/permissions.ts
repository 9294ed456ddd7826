import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { Directory } from '../fs/tree.ts';
import { giveAccess, hasAccess, searchable } from './tree/access.ts';
import { glob } from './tree/glob.ts';
import type { Plan } from './plan.ts';
import type { PermissionStep } from './model.ts';
import { trimmed } from './python/values.ts';
import { nameOf, patternUnder, siteOf, type Site } from './site.ts';
import { isLent } from './step.ts';

/** Passed to `isLent` as our uid: a process without permission is not the owner of the object. */
const NOT_OURS = -1;

/**
 * Sets owner and mode of all matches, and with `recurse` below them. Links are never followed, and installed files
 * have their final mode already. A denied change is a warning, as in Kolla: it concerns a service's files, not its
 * configuration.
 */
export function setPermissions(plan: Plan, early: boolean, log: Log): void {
  const permissions = plan.permissions.filter((one) => one.early === early);
  if (permissions.length === 0) return;
  using site = siteOf(plan);
  const own = new Set(plan.steps.map(({ path }) => path));
  for (const one of permissions) setPermission(one, site, (path) => own.has(path), log);
}

function setPermission(permission: PermissionStep, site: Site, isLeft: (path: string) => boolean, log: Log): void {
  const refused: string[] = [];
  const asRefused = (error: unknown) => void refused.push(messageOf(error));
  for (const path of matching(patternUnder(site, permission.pattern), asRefused)) {
    try {
      using directory = Directory.inside(site.root, dirname(path));
      set(directory, path, permission, { root: site.root, isLeft, refused, log }, true);
    } catch (error) {
      asRefused(error);
    }
  }
  const [first] = refused;
  if (first === undefined) return;
  const more = refused.length === 1 ? '' : ` (and ${refused.length - 1} more)`;
  log.warn(
    `${permission.entry}: owner and mode stay as they are: ${first}${more}; let root set them once, or an fsGroup`,
    { entry: permission.entry },
  );
}

function matching(pattern: string, refused: (error: unknown) => void): string[] {
  try {
    return glob(pattern).map(trimmed);
  } catch (error) {
    refused(error);
    return [];
  }
}

interface Setting {
  readonly root: string;
  readonly isLeft: (path: string) => boolean;
  readonly refused: string[];
  readonly log: Log;
}

/** @param directory directory of the last path component, held open so that no link can be inserted */
function set(directory: Directory, path: string, permission: PermissionStep, setting: Setting, isTop: boolean): void {
  const { root, isLeft, refused, log } = setting;
  const name = basename(path);
  const found = directory.lstat(name);
  if (found === undefined) throw new RangeError(`${path} is gone`);
  const isExcluded = !isTop && permission.excluded(nameOf({ root }, path));
  if (!isExcluded && !isLeft(path))
    try {
      setOne(directory, name, found, permission);
    } catch (error) {
      // For the root directory of a volume, write permission is enough.
      const isLeftSo = found.isDirectory() && isLent(path, found, NOT_OURS);
      if (isLeftSo) log.debug(`${path} stays as the volume has it`, { entry: permission.entry });
      else refused.push(messageOf(error));
    }
  if (!permission.recurse || !found.isDirectory()) return;
  using inner = directory.open(name);
  for (const child of inner.list()) set(inner, join(path, child), permission, setting, false);
}

function setOne(directory: Directory, name: string, found: Stats, { mode, owner: { uid, gid } }: PermissionStep): void {
  const wanted = mode !== undefined && found.isDirectory() ? searchable(mode) : mode;
  if (hasAccess(found, { mode: wanted, uid, gid })) return;
  using handle = directory.hold(name);
  if (handle !== undefined) giveAccess(handle, handle.stat(), { mode: wanted, uid, gid });
}
