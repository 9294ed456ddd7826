import type { Stats } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { matchesGlob, pathsMatching } from '../../fs/glob.ts';
import { baseOf, isCompressed, statOf } from './listing.ts';

interface DiscoverOptions {
  /** Globs, as absolute paths. */
  readonly patterns: readonly string[];
  /** Globs as absolute paths; globs without a slash match names. */
  readonly excludes: readonly string[];
  /** Our own state directory, which is never shipped. */
  readonly stateDir: string | undefined;
}

/** Number of polls after which all globs are matched again, for file systems with coarse timestamps of directories. */
const FULL_EVERY = 30;
/** With many files, matching them all takes at most one part in this many of the time. */
const FULL_SHARE = 500;
const MAGIC = /[*?[{(!]/;
/** The names of rotated files, after the file's own. */
const ROTATED = '[.-][0-9]*';

/**
 * Finds the files that match the globs. Matching is expensive with many files, so it is repeated only when a directory
 * on the way has changed.
 */
export class Discover {
  readonly #options: DiscoverOptions;
  #directories: readonly string[] = [];
  #existing: readonly string[] = [];
  #signature = '';
  #wasChanged = false;
  #looks = 0;
  #nextMs = -Infinity;
  #files: readonly string[] = [];
  #origins: readonly string[] = [];

  constructor(options: DiscoverOptions) {
    this.#options = options;
  }

  /** Existing directories in which files may appear or disappear. */
  get directories(): readonly string[] {
    return this.#existing;
  }

  /** Paths to follow that may exist only as rotated files. Returns those that are new since the last call. */
  takeOrigins(): readonly string[] {
    const origins = this.#origins;
    this.#origins = [];
    return origins;
  }

  /** The files that currently match, sorted. */
  look(): readonly string[] {
    const isDue = this.#looks++ % FULL_EVERY === 0 && performance.now() >= this.#nextMs;
    const isChanged = isDue || signatureOf(this.#directories) !== this.#signature;
    // After a change the globs are matched once more: if a directory changes again within the same clock tick, its
    // timestamp stays the same.
    if (isChanged || this.#wasChanged) this.#match();
    this.#wasChanged = isChanged;
    return this.#files;
  }

  /** The file from which this one was rotated, if it matches too. */
  originOf(path: string): string | undefined {
    const base = baseOf(path);
    return base !== undefined && this.#isWanted(base) ? base : undefined;
  }

  #match(): void {
    const { patterns } = this.#options;
    const startMs = performance.now();
    this.#directories = [...new Set(patterns.flatMap(directoriesOf))];
    this.#signature = signatureOf(this.#directories);
    this.#existing = this.#directories.filter((directory) => statOf(directory) !== undefined);
    const matches = pathsMatching(patterns);
    this.#files = matches.filter((path) => !this.#isExcluded(path) && !isCompressed(path)).toSorted();
    const rotated = pathsMatching(patterns.map((pattern) => pattern + ROTATED));
    this.#origins = [...new Set(rotated.flatMap((path) => this.originOf(path) ?? []))];
    const endMs = performance.now();
    this.#nextMs = endMs + (endMs - startMs) * FULL_SHARE;
  }

  #isWanted(path: string): boolean {
    return this.#options.patterns.some((pattern) => matchesGlob(path, pattern)) && !this.#isExcluded(path);
  }

  #isExcluded(path: string): boolean {
    const { excludes, stateDir } = this.#options;
    if (stateDir !== undefined && path.startsWith(stateDir + sep)) return true;
    return excludes.some((glob) => matchesGlob(glob.includes('/') ? path : basename(path), glob));
  }
}

/** The paths without a wildcard at which there is no file, not even a rotated one. */
export function missingPaths(patterns: readonly string[]): readonly string[] {
  return patterns.filter((path) => !MAGIC.test(path) && pathsMatching([path, path + ROTATED]).length === 0);
}

/** The directories that a glob matches, from its first wildcard on. */
function directoriesOf(pattern: string): string[] {
  const parts = pattern.split('/');
  const magic = parts.findIndex((part) => MAGIC.test(part));
  if (magic === -1) return [dirname(pattern)];
  const named = parts.slice(0, magic).join('/') || '/';
  const directories = [named];
  for (let length = magic + 1; length < parts.length; length++) {
    const found = pathsMatching([join('/', ...parts.slice(0, length))]).filter((path) => statOf(path)?.isDirectory());
    directories.push(...found);
  }
  return directories;
}

/** Changes when an entry is added to a directory or removed from it, and when the directory is replaced. */
function signatureOf(directories: readonly string[]): string {
  return directories
    .map((directory) => {
      const stat = statOf(directory);
      return stat === undefined ? '' : `${stat.ino}:${stat.mtimeMs}`;
    })
    .join();
}

/** The state of a file when it was read to the end. */
type Stamp = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'>;

const REMEMBERED = 1000;

/** Rotated files that were read to the end, unless a process writes to them again. */
export class Finished {
  readonly #stamps = new Set<string>();

  add(stamp: Stamp): void {
    this.#stamps.add(key(stamp));
    const [oldest] = this.#stamps;
    if (this.#stamps.size > REMEMBERED && oldest !== undefined) this.#stamps.delete(oldest);
  }

  has(stamp: Stamp): boolean {
    return this.#stamps.has(key(stamp));
  }
}

function key({ dev, ino, size, mtimeMs }: Stamp): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}
