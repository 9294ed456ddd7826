import { globSync, type Stats } from 'node:fs';
import { basename, dirname, join, matchesGlob, resolve, sep } from 'node:path';
import { baseOf, isCompressed, statOf } from './listing.ts';

interface DiscoverOptions {
  /** Absolute globs. */
  readonly patterns: readonly string[];
  /** Globs: absolute, or without a slash, of names. */
  readonly excludes: readonly string[];
  /** Our own, which is never shipped. */
  readonly stateDir: string | undefined;
}

/** Looks after which everything is matched anew, for file systems whose directories' times are coarse. */
const FULL_EVERY = 30;
const MAGIC = /[*?[{(!]/;

/**
 * Which files the globs match. To match them is dear with many files, so it is done only when a directory that they lead
 * through has changed.
 */
export class Discover {
  readonly #options: DiscoverOptions;
  #directories: readonly string[] = [];
  #signature = '';
  #wasChanged = false;
  #looks = 0;
  #files: readonly string[] = [];
  #origins: readonly string[] = [];

  constructor(options: DiscoverOptions) {
    this.#options = options;
  }

  /** Where files may come and go. */
  get directories(): readonly string[] {
    return this.#directories;
  }

  /** Paths that we would follow of which only rotated files may be there, with new ones since the last call. */
  takeOrigins(): readonly string[] {
    const origins = this.#origins;
    this.#origins = [];
    return origins;
  }

  /** The files that match now, sorted. */
  look(): readonly string[] {
    const isDue = this.#looks++ % FULL_EVERY === 0;
    const isChanged = isDue || signatureOf(this.#directories) !== this.#signature;
    // A change in the same tick of the clock as our last look shows in no time.
    if (isChanged || this.#wasChanged) this.#match();
    this.#wasChanged = isChanged;
    return this.#files;
  }

  /** The file that this one was made of by rotation, if that is one of ours too. */
  originOf(path: string): string | undefined {
    const base = baseOf(path);
    return base !== undefined && this.#isWanted(base) ? base : undefined;
  }

  #match(): void {
    const { patterns } = this.#options;
    this.#directories = [...new Set(patterns.flatMap(directoriesOf))];
    this.#signature = signatureOf(this.#directories);
    const matches = new Set(globSync([...patterns]).map((path) => resolve(path)));
    this.#files = [...matches].filter((path) => !this.#isExcluded(path) && !isCompressed(path)).toSorted();
    const rotated = globSync(patterns.map((pattern) => `${pattern}[.-][0-9]*`)).map((path) => resolve(path));
    this.#origins = [...new Set(rotated.flatMap((path) => this.originOf(path) ?? []))];
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

/** The directories that a glob leads through, from the first that it doesn't name. */
function directoriesOf(pattern: string): string[] {
  const parts = pattern.split('/');
  const magic = parts.findIndex((part) => MAGIC.test(part));
  if (magic === -1) return [dirname(pattern)];
  const named = parts.slice(0, magic).join('/') || '/';
  const directories = [named];
  for (let length = magic + 1; length < parts.length; length++) {
    const found = globSync(join('/', ...parts.slice(0, length))).filter((path) => statOf(path)?.isDirectory());
    directories.push(...found);
  }
  return directories;
}

/** Changes when something comes into a directory or leaves it, or it does so itself. */
function signatureOf(directories: readonly string[]): string {
  return directories
    .map((directory) => {
      const stat = statOf(directory);
      return stat === undefined ? '' : `${stat.ino}:${stat.mtimeMs}`;
    })
    .join();
}

/** How a file stood when it was read to its end. */
type Stamp = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'>;

const REMEMBERED = 1000;

/** Rotated files of which nothing is left to read, unless a process writes to them again. */
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
