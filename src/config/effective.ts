import { searchable, type Access } from './tree/access.ts';
import { segmentRegExp } from './tree/glob.ts';
import type { PermissionStep } from './model.ts';

/**
 * Applies `permissions` to an entry's files in advance, so that a file is written once, with its final mode, and a
 * later run finds it up to date.
 * @param names the path as in config.json, and with the image's links resolved; a pattern may match either
 */
export function effective<A extends Access>(
  access: A,
  names: readonly [dest: string, name: string],
  kind: 'directory' | 'file',
  permissions: readonly PermissionStep[],
): A {
  let [{ mode, uid, gid }] = [access];
  for (const permission of permissions.filter((one) => !one.early && concerns(one, names, kind))) {
    const { owner } = permission;
    if (owner.uid !== -1) uid = owner.uid;
    if (owner.gid !== -1) gid = owner.gid;
    if (permission.mode !== undefined) mode = kind === 'directory' ? searchable(permission.mode) : permission.mode;
  }
  return { ...access, mode, uid, gid };
}

function concerns(
  { pattern, place, recurse, excluded }: PermissionStep,
  [dest, name]: readonly [string, string],
  kind: 'directory' | 'file',
): boolean {
  return isFound(pattern, dest) || isFound(place, name);

  function isFound(from: string, path: string): boolean {
    const [wanted, parts] = [segments(from), segments(path)];
    if (parts.length < wanted.length || (parts.length > wanted.length && !recurse)) return false;
    const fits = wanted.every((segment, i) => {
      const part = parts[i] ?? '';
      return segmentRegExp(segment).test(part) && (segment.startsWith('.') || !part.startsWith('.'));
    });
    if (parts.length === wanted.length) return fits && (kind === 'directory' || !from.endsWith('/'));
    return fits && !excluded(path);
  }
}

function segments(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
