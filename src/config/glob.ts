import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unlessAbsent } from '../fs/absent.ts';

/** Whether Python's glob treats it as a pattern. */
export function hasMagic(path: string): boolean {
  return /[*?[]/.test(path);
}

/**
 * The paths that match a pattern as in Python's glob.glob: `*`, `?`, `[a-z]`, `[!x]`; no braces, `**` is `*`, a leading
 * dot must be literal. Sorted by bytes: Kolla uses the directory order, which differs between nodes.
 * @param pattern absolute, or relative to the working directory
 */
export function glob(pattern: string): string[] {
  const segments = pattern.split('/').filter((segment) => segment !== '');
  let found = [pattern.startsWith('/') ? '/' : '.'];
  for (const segment of segments) found = found.flatMap((directory) => expand(directory, segment));
  return found;
}

function expand(directory: string, segment: string): string[] {
  if (!hasMagic(segment)) {
    // A file has no `.` entry, and so no match.
    const path = segment === '.' ? `${directory}/.` : join(directory, segment);
    return unlessAbsent(() => lstatSync(path)) === undefined ? [] : [path];
  }
  const names = unlessAbsent(() => readdirSync(directory)) ?? [];
  const matcher = segmentRegExp(segment);
  const seen = names.filter((name) => matcher.test(name) && (segment.startsWith('.') || !name.startsWith('.')));
  return seen.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map((name) => join(directory, name));
}

/**
 * Python's fnmatch.translate for one path segment. Like Python's, each `*` matches the shortest possible string and
 * never backtracks (here by a lookahead group): otherwise thirty of them take years.
 */
export function segmentRegExp(segment: string): RegExp {
  const pieces = [''];
  for (let i = 0; i < segment.length; i++) {
    const character = segment[i]!;
    const close = character === '[' ? closing(segment, i) : -1;
    const take = (source: string) => (pieces[pieces.length - 1] += source);
    if (character === '*') pieces.push('');
    else if (character === '?') take('.');
    else if (close === -1) take(character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`));
    else {
      take(bracket(segment.slice(i + 1, close)));
      i = close;
    }
  }
  const [first, ...others] = pieces;
  const last = others.pop();
  const between = others.map((source, i) => String.raw`(?=(?<star${i}>.*?${source}))\k<star${i}>`).join('');
  return new RegExp(`^${first}${between}${last === undefined ? '' : `.*${last}`}$`, 'su');
}

/** End of the set that starts at `start`; a leading `]` belongs to the set. */
function closing(segment: string, start: number): number {
  const first = segment[start + 1] === '!' ? start + 2 : start + 1;
  return segment.indexOf(']', first + 1);
}

function bracket(set: string): string {
  const negated = set.startsWith('!');
  // Python treats a reversed range as empty.
  const members = (negated ? set.slice(1) : set)
    .replaceAll(/([^])-([^])/g, (range, from: string, to: string) => (from > to ? '' : range))
    .replaceAll(/[\\\][^]/g, String.raw`\$&`);
  return `[${negated ? '^' : ''}${members}]`;
}
