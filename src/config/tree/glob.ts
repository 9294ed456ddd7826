import { readdirSync, statSync } from 'node:fs';
import { unlessAbsent } from '../../fs/absent.ts';
import { lookAt } from '../../fs/access.ts';
import { basename, dirname, join } from '../python/values.ts';

/** Whether Python's glob treats the path as a pattern. */
export function hasMagic(path: string): boolean {
  return /[*?[]/.test(path);
}

/** A pattern that matches this path only. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[]/g, '[$&]');
}

/** The directory before the first wildcard, and the components after it; none if there is no wildcard. */
export function splitAtMagic(pattern: string): [before: string, magic: readonly string[]] {
  const parts = pattern.split('/');
  const at = parts.findIndex(hasMagic);
  return at === -1 ? [pattern, []] : [parts.slice(0, at).join('/') || '/', parts.slice(at)];
}

/** Where names are looked up: the disk, or a model of it. */
interface Names {
  /** Undefined if the object is missing. */
  lstat(path: string): object | undefined;
  /** The object, with links followed. */
  isDirectory(path: string): boolean;
  /** The names sorted by bytes. Kolla uses the order of the directory, which differs between nodes. */
  list(path: string): readonly string[];
}

/**
 * The paths that match a pattern as in Python's glob.glob: `*`, `?`, `[a-z]`, `[!x]`; no braces, `**` is `*`, a leading
 * dot must be literal. Paths start as the pattern does.
 */
export function globIn(names: Names, pattern: string): string[] {
  if (!hasMagic(pattern)) {
    const isThere = pattern.endsWith('/') ? names.isDirectory(dirname(pattern)) : names.lstat(pattern) !== undefined;
    return isThere ? [pattern] : [];
  }
  const [directory, name] = [dirname(pattern), basename(pattern)];
  const directories = directory !== pattern && hasMagic(directory) ? globIn(names, directory) : [directory];
  return directories.flatMap((one) => namesIn(names, one, name).map((found) => join(one, found)));
}

function namesIn(names: Names, directory: string, name: string): string[] {
  if (name === '') return names.isDirectory(directory) ? [''] : [];
  if (!hasMagic(name)) return names.lstat(join(directory, name)) === undefined ? [] : [name];
  const matcher = segmentRegExp(name);
  const at = directory === '' ? '.' : directory;
  if (!names.isDirectory(at)) return [];
  return names.list(at).filter((one) => matcher.test(one) && (name.startsWith('.') || !one.startsWith('.')));
}

const DISK: Names = {
  lstat: lookAt,
  isDirectory: (path) => unlessAbsent(() => statSync(path))?.isDirectory() ?? false,
  list: (path) => readdirSync(path).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
};

/**
 * The matching paths on disk, where the system resolves links. Paths have no empty and `.` components, except for a
 * last one, which only a directory has.
 * @param pattern absolute, or relative to the working directory
 */
export function glob(pattern: string): string[] {
  const parts = pattern.split('/').filter((part) => part !== '');
  const bare = parts.filter((part, i) => part !== '.' || i === parts.length - 1).join('/');
  const end = bare !== '' && pattern.endsWith('/') ? '/' : '';
  return globIn(DISK, pattern.startsWith('/') ? `/${bare}${end}` : `${bare || '.'}${end}`);
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

/** The end of the set that begins at `start`. A leading `]` belongs to the set. */
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
