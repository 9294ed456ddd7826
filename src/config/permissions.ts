import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { glob } from './glob.ts';
import { checkPlace, under } from './place.ts';
import type { PermissionStep } from './plan.ts';

/**
 * Sets owner and mode of everything that matches, and with `recurse` below it. Links found there are never followed.
 * What the system refuses is a warning, as with Kolla: it is about files that a service made, not about its
 * configuration.
 */
export async function setPermissions(permission: PermissionStep, root: string, log: Log): Promise<void> {
  const refused: string[] = [];
  for (const path of await glob(under(root, permission.pattern))) {
    try {
      await checkPlace(root, path, false);
      await set(path, permission, refused);
    } catch (error) {
      refused.push(`${path}: ${messageOf(error)}`);
    }
  }
  const [first] = refused;
  if (first === undefined) return;
  const more = refused.length === 1 ? '' : ` (and ${refused.length - 1} more)`;
  log.warn(`${permission.entry}: cannot set owner or mode of ${first}${more}`, { entry: permission.entry });
}

async function set(path: string, permission: PermissionStep, refused: string[]): Promise<void> {
  const found = await lstat(path);
  const { mode, owner, recurse } = permission;
  const wanted = mode !== undefined && found.isDirectory() ? mode | ((mode & 0o444) >> 2) : mode;
  try {
    const otherOwner = (owner.uid !== -1 && found.uid !== owner.uid) || (owner.gid !== -1 && found.gid !== owner.gid);
    if (otherOwner) await lchown(path, owner.uid, owner.gid);
    if (wanted !== undefined && !found.isSymbolicLink() && ((found.mode & 0o7777) !== wanted || otherOwner))
      await chmod(path, wanted);
  } catch (error) {
    refused.push(messageOf(error));
  }
  if (!recurse || !found.isDirectory()) return;
  for (const name of await readdir(path)) await set(join(path, name), permission, refused);
}
