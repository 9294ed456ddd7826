import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { O_PATH } from '../../fs/at.ts';

/** Opens a log for reading. @returns the descriptor. Throws the system's error, or why it is no log. */
export type OpenLog = (path: string) => number;

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const MAGIC = /[*?[{(!]/;

/** Where logs may be. */
interface Allowed {
  /** Absolute globs. */
  readonly patterns: readonly string[];
  /** Of the logs: for each glob below it. Of another one the directory before its first part that is a glob is the root. */
  readonly root?: string | undefined;
  /** Whether a place is our own state's. */
  readonly isOwn?: ((place: string) => boolean) | undefined;
}

/**
 * Whoever may write into a log volume may put a link there, to what this process may read and they may not: its environment,
 * its tokens, its passwords. So it is judged by what it leads to, and what was judged is what is opened: a handle that reads
 * nothing -> a regular file, and at a place below a root? -> that very file, by way of the handle. A pipe that takes the place
 * of a file meanwhile is never opened. A root may be a link, and is what it led to at first.
 */
export function logOpener({ patterns, root, isOwn = () => false }: Allowed): OpenLog {
  const roots = [...new Set(patterns.map((each) => (root !== undefined && isBelow(each, root) ? root : rootOf(each))))];
  const places = new Map<string, string>();
  const placeOf = (each: string) => {
    const place = places.get(each) ?? realpathSync(each);
    places.set(each, place);
    return place;
  };
  for (const each of roots) if (existsSync(each)) placeOf(each);
  return (path) => {
    const handle = openSync(path, O_PATH);
    try {
      const place = readlinkSync(`/proc/self/fd/${handle}`);
      if (!roots.some((each) => isBelow(place, placeOf(each))))
        throw new Error(`it leads to ${place}, outside of ${roots.join(' and ')}`);
      if (isOwn(place)) throw new Error(`it leads to ${place}, which is our own state`);
      if (!fstatSync(handle).isFile()) throw new Error('it is not a regular file');
      return openSync(`/proc/self/fd/${handle}`, READ);
    } finally {
      closeSync(handle);
    }
  };
}

/** The directory that a glob names before its first part that is none, or that a path lies in. */
function rootOf(pattern: string): string {
  const parts = pattern.split('/');
  const magic = parts.findIndex((part) => MAGIC.test(part));
  return magic === -1 ? dirname(pattern) : parts.slice(0, magic).join('/') || '/';
}

function isBelow(place: string, root: string): boolean {
  return place.startsWith(root.endsWith(sep) ? root : root + sep);
}
