/**
 * Files by glob, and whether a path matches one, on both engines (glob-pattern.ts has what a glob may contain).
 *
 * Links to directories are followed where the glob names them, and not by wildcards: what they lead to is found under its
 * own name.
 */
import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { followAt, lookAt } from './access.ts';
import { ANY, patternsOf, type Part } from './glob-pattern.ts';

/** The paths that match any of the globs, each once. Directories that cannot be listed have none. */
export function pathsMatching(globs: readonly string[]): string[] {
  const found = new Set<string>();
  for (const { isAbsolute, parts, isDirectory } of globs.flatMap(patternsOf)) {
    const isNamed = typeof parts.at(-1) === 'string';
    const add = (path: string) => {
      const stat = isDirectory ? (isNamed ? followAt(path) : lookAt(path)) : undefined;
      if (!isDirectory || stat?.isDirectory() === true) found.add(path);
    };
    walk(isAbsolute ? '/' : '.', parts, 0, add);
  }
  return [...found];
}

function walk(directory: string, parts: readonly Part[], at: number, add: (path: string) => void): void {
  const part = parts[at];
  const isLast = at + 1 === parts.length;
  if (part === undefined) return add(directory);
  if (typeof part === 'string') {
    const path = join(directory, part);
    if (isThere(path)) walk(path, parts, at + 1, add);
    return;
  }
  if (part === ANY) walk(directory, parts, at + 1, add);
  for (const entry of entriesOf(directory)) {
    const { name } = entry;
    if (part === ANY ? name.startsWith('.') : !part.test(name)) continue;
    const path = below(directory, name);
    // A link to a directory is followed only where it is named.
    if (entry.isDirectory()) walk(path, parts, part === ANY ? at : at + 1, add);
    else if (isLast) add(path);
  }
}

/** As `join`, which costs as much as all else for thousands of files: the directory is normalized, and the name is an entry's. */
function below(directory: string, name: string): string {
  if (directory === '.') return name;
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

function isThere(path: string): boolean {
  try {
    return lookAt(path) !== undefined;
  } catch {
    return false; // one of its directories is not ours to search
  }
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // it is gone, or no directory, or not ours to list
  }
}

/** Whether a normalized path, or a name, matches a glob. */
export function matchesGlob(path: string, glob: string): boolean {
  const names = path.split('/');
  return compiled(glob).some(({ isAbsolute, parts, isDirectory }) =>
    matches(names, 0, [...(isAbsolute ? [''] : []), ...parts, ...(isDirectory ? [''] : [])], 0),
  );
}

function matches(names: readonly string[], from: number, parts: readonly Part[], at: number): boolean {
  const part = parts[at];
  const name = names[from];
  if (part === undefined) return from === names.length;
  if (part === ANY) {
    if (at + 1 === parts.length) return from < names.length && names.slice(from).every((each) => !each.startsWith('.'));
    for (let next = from; next < names.length; next++) {
      if (matches(names, next, parts, at + 1)) return true;
      if (names[next]!.startsWith('.')) return false;
    }
    return false;
  }
  if (name === undefined || !(typeof part === 'string' ? part === name : part.test(name))) return false;
  return matches(names, from + 1, parts, at + 1);
}

const patterns = new Map<string, ReturnType<typeof patternsOf>>();

/** Globs are few, and matched again for each file. */
function compiled(glob: string): ReturnType<typeof patternsOf> {
  const known = patterns.get(glob);
  if (known !== undefined) return known;
  const made = patternsOf(glob);
  patterns.set(glob, made);
  return made;
}
