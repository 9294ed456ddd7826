import { closeSync, fstatSync, readdirSync, readSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipStart } from '#gzip';
import { HEAD_BYTES } from '../position/generation.ts';
import type { OpenLog } from './open-log.ts';

/** A file in a directory, with links followed. */
interface Listed {
  readonly name: string;
  readonly stat: Stats;
}

/** The files in a directory, sorted by name. */
export type Listing = readonly Listed[];

/** Lists a directory; by default listed(). */
export type List = (directory: string, isWanted?: (name: string) => boolean) => Listing;

/** Maximum number of listings during which files move, before the last one is accepted. */
const MOST_LISTINGS = 20;

/** The files that are currently in a directory; none if it no longer exists. */
export function listed(directory: string, isWanted: (name: string) => boolean = () => true): Listing {
  return namesIn(directory)
    .filter(isWanted)
    .toSorted()
    .flatMap((name) => {
      const stat = statOf(`${directory}/${name}`);
      return stat?.isFile() ? [{ name, stat }] : [];
    });
}

/**
 * If a file is renamed while its directory is read, both of its names may be missed. The directory is therefore read
 * until two listings agree.
 */
function settled(read: () => Listing): Listing {
  let found = read();
  for (let nth = 1; nth < MOST_LISTINGS; nth++) {
    const again = read();
    if (isSame(found, again)) break;
    found = again;
  }
  return found;
}

/** The entries with that prefix. The lookup is efficient for large directories. */
function withPrefix(listing: Listing, prefix: string): Listing {
  let [from, to] = [0, listing.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (listing[middle]!.name < prefix) from = middle + 1;
    else to = middle;
  }
  const found: Listed[] = [];
  for (let at = from; at < listing.length; at++) {
    const each = listing[at]!;
    if (!each.name.startsWith(prefix)) break;
    found.push(each);
  }
  return found;
}

/** The stat of a path with links followed; undefined if it is not accessible. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a parent directory is gone or inaccessible
  }
}

/** Whether it is known what is at a path, even if that is nothing. */
export function isReachable(path: string): boolean {
  try {
    statSync(path, { throwIfNoEntry: false });
    return true;
  } catch {
    return false;
  }
}

function isSame(before: Listing, now: Listing): boolean {
  return (
    before.length === now.length &&
    before.every(({ name, stat }, i) => now[i]?.name === name && now[i].stat.ino === stat.ino)
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it is gone too
  }
}

/** Suffixes that logrotate and other tools add: `.1`, `-20261121`, `.2026-11-21`. */
const ROTATED = /[.-]\d[\d.:_T-]*$/;
const COMPRESSED = /\.(gz|bz2|xz|zst|lz4|lzma|zip|Z)$/;

/** A file next to a followed file, whose name starts with the name of the followed file. */
export interface Sibling {
  readonly at: string;
  readonly stat: Stats;
  /** Whether it has a rotation suffix and is not compressed. */
  readonly isRotated: boolean;
}

/** Orders names with their numbers by value: with equal timestamps, `.2` is older than `.1`. */
function byName(a: string, b: string): number {
  const [ours, theirs] = [a, b].map((name) => name.split(/(\d+)/)) as [string[], string[]];
  for (const [i, part] of ours.entries()) {
    const other = theirs[i] ?? '';
    if (part === other) continue;
    const byValue = Number(part) - Number(other);
    return byValue || (part < other ? -1 : 1);
  }
  return ours.length - theirs.length;
}

/** Possible rotations of a file in a listing, from the oldest. */
function siblingsIn(listing: Listing, path: string): readonly Sibling[] {
  const name = basename(path);
  return withPrefix(listing, name)
    .filter((other) => other.name !== name)
    .map((other) => {
      const at = join(dirname(path), other.name);
      return { at, stat: other.stat, isRotated: baseOf(at) === path };
    })
    .toSorted((a, b) => a.stat.mtimeMs - b.stat.mtimeMs || byName(b.at, a.at));
}

/** The original name of a rotated file; undefined for names without a rotation suffix, and for compressed files. */
export function baseOf(path: string): string | undefined {
  const base = path.replace(ROTATED, '');
  return base === path || isCompressed(path) ? undefined : base;
}

export function isCompressed(path: string): boolean {
  return COMPRESSED.test(path);
}

/** The head and size of a gzip file's content. Undefined for other files. */
export function unzippedHead(
  path: string,
  open: OpenLog,
): { readonly head: Buffer; readonly size: number } | undefined {
  const ENOUGH_BYTES = 73_728;
  try {
    const fd = open(path);
    try {
      const start = Buffer.alloc(ENOUGH_BYTES);
      const read = readSync(fd, start, 0, ENOUGH_BYTES, 0);
      const head = gunzipStart(start.subarray(0, read), HEAD_BYTES);
      const { size } = fstatSync(fd);
      const end = Buffer.alloc(4);
      readSync(fd, end, 0, 4, size - 4);
      // gzip stores the size modulo 4 GiB, RFC 1952.
      return { head, size: end.readUInt32LE() };
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/**
 * Rotated files next to a path that may have been written after that time: all of them if it is yet to come, and the file at the
 * path is from before it, because then the clock was set back.
 */
export function writtenSince(modifiedMs: number, path: string, siblings: readonly Sibling[]): readonly Sibling[] {
  const isSetBack = modifiedMs > Date.now() && (statOf(path)?.mtimeMs ?? Infinity) < modifiedMs;
  return siblings.filter(({ isRotated, stat }) => isRotated && (isSetBack || stat.mtimeMs >= modifiedMs));
}

/** Possible rotations of the file at a path, from the oldest. */
export type Beside = (path: string) => readonly Sibling[];

/** The siblings of a path. They are listed on every call. */
export function besideOne(list: List): Beside {
  return (path) => {
    const name = basename(path);
    return siblingsIn(
      settled(() => list(dirname(path), (other) => other.startsWith(name))),
      path,
    );
  };
}

/** Siblings of many paths: each directory is listed once, on the first call. */
export function besideMany(list: List): Beside {
  const listings = new Map<string, Listing>();
  return (path) => {
    const directory = dirname(path);
    const listing = listings.get(directory) ?? settled(() => list(directory));
    listings.set(directory, listing);
    return siblingsIn(listing, path);
  };
}
