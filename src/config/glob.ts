import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreAbsent } from '../fs/absent.ts';

/** Whether Python's glob sees a pattern in it. */
export function hasMagic(path: string): boolean {
  return /[*?[]/.test(path);
}

/**
 * The paths that match a pattern as Python's glob.glob reads it: `*`, `?`, `[a-z]`, `[!x]`; no braces, `**` is `*`,
 * a leading dot must be literal. Sorted by bytes: Kolla takes the folder's order, which differs from node to node.
 * @param pattern absolute, or from the working directory
 */
export async function glob(pattern: string): Promise<string[]> {
  const segments = pattern.split('/').filter((segment) => segment !== '');
  let found = [pattern.startsWith('/') ? '/' : '.'];
  for (const segment of segments) {
    const next = await Promise.all(found.map((folder) => expand(folder, segment)));
    found = next.flat();
  }
  return found;
}

async function expand(folder: string, segment: string): Promise<string[]> {
  if (!hasMagic(segment)) {
    // A file has no `.` in it, and so no match.
    const path = segment === '.' ? `${folder}/.` : join(folder, segment);
    const isThere = await lstat(path).catch(ignoreAbsent);
    return isThere ? [path] : [];
  }
  const names = (await readdir(folder).catch(ignoreAbsent)) ?? [];
  const matcher = segmentRegExp(segment);
  const seen = names.filter((name) => matcher.test(name) && (segment.startsWith('.') || !name.startsWith('.')));
  return seen.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map((name) => join(folder, name));
}

/** Python's fnmatch.translate, for one path segment. */
export function segmentRegExp(segment: string): RegExp {
  let source = '';
  for (let i = 0; i < segment.length; i++) {
    const character = segment[i]!;
    const close = character === '[' ? closing(segment, i) : -1;
    if (character === '*') source += '.*';
    else if (character === '?') source += '.';
    else if (close === -1) source += character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
    else {
      source += bracket(segment.slice(i + 1, close));
      i = close;
    }
  }
  return new RegExp(`^${source}$`, 'su');
}

/** Where the set ends that begins at `start`; a `]` that comes first belongs to the set. */
function closing(segment: string, start: number): number {
  const first = segment[start + 1] === '!' ? start + 2 : start + 1;
  return segment.indexOf(']', first + 1);
}

function bracket(set: string): string {
  const negated = set.startsWith('!');
  // Python takes a range that runs backwards for empty.
  const members = (negated ? set.slice(1) : set)
    .replaceAll(/([^])-([^])/g, (range, from: string, to: string) => (from > to ? '' : range))
    .replaceAll(/[\\\][^]/g, String.raw`\$&`);
  return `[${negated ? '^' : ''}${members}]`;
}
