import type { Stats } from 'node:fs';
import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { searchable } from './effective.ts';
import { glob } from './glob.ts';
import { checkPlace } from './place.ts';
import type { Plan } from './plan.ts';
import type { PermissionStep } from './model.ts';
import { nameOf, patternUnder } from './site.ts';
import { hasAccess, isLent } from './step.ts';

/** Whoever is refused is not the owner. */
const NOT_OURS = -1;

/**
 * Sets owner and mode of everything that matches, and with `recurse` below it. Links found there are never followed, and
 * what the plan puts in place has its last mode already. What the system refuses is a warning, as with Kolla: it is about
 * files that a service made, not about its configuration.
 */
export async function setPermissions(permission: PermissionStep, { site, steps }: Plan, log: Log): Promise<void> {
  const refused: string[] = [];
  const own = new Set(steps.map(({ path }) => path));
  const isLeft = (path: string) => own.has(path);
  const asRefused = (error: unknown) => void refused.push(messageOf(error));
  for (const path of (await glob(patternUnder(site, permission.pattern)).catch(asRefused)) ?? []) {
    try {
      checkPlace(site.root, path, false);
      await set(path, permission, { root: site.root, isLeft, refused, log }, true);
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

interface Setting {
  readonly root: string;
  readonly isLeft: (path: string) => boolean;
  readonly refused: string[];
  readonly log: Log;
}

async function set(path: string, permission: PermissionStep, setting: Setting, isTop: boolean): Promise<void> {
  const { root, isLeft, refused, log } = setting;
  const found = await lstat(path);
  const isExcluded = !isTop && permission.excluded(nameOf({ root }, path));
  if (!isExcluded && !isLeft(path))
    await setOne(path, found, permission).catch(async (error: unknown) => {
      // Of a volume's own folder it is enough that we may write there.
      const isLeftSo = found.isDirectory() && (await isLent(path, found, NOT_OURS));
      if (isLeftSo) log.debug(`${path} stays as the volume has it`, { entry: permission.entry });
      else refused.push(messageOf(error));
    });
  if (!permission.recurse || !found.isDirectory()) return;
  for (const name of await readdir(path)) await set(join(path, name), permission, setting, false);
}

async function setOne(path: string, found: Stats, { mode, owner: { uid, gid } }: PermissionStep): Promise<void> {
  const wanted = mode !== undefined && found.isDirectory() ? searchable(mode) : mode;
  const isOwned = hasAccess(found, { mode: found.mode & 0o7777, uid, gid });
  if (!isOwned) await lchown(path, uid, gid);
  if (wanted === undefined || found.isSymbolicLink()) return;
  if (!isOwned || (found.mode & 0o7777) !== wanted) await chmod(path, wanted);
}
