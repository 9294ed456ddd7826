import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { O_PATH } from '#at';

/**
 * Opens a log file for reading.
 * @returns the descriptor
 * @throws the system's error, or why it is not a log
 */
export type OpenLog = (path: string) => number;

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const MAGIC = /[*?[{(!]/;

/** The allowed locations of logs. */
interface Allowed {
  /** Globs, as absolute paths. */
  readonly patterns: readonly string[];
  /** The log root, for globs below it. For other globs, the root is the directory before the first wildcard. */
  readonly root?: string | undefined;
  /** Whether a path is inside our own state directory. */
  readonly isOwn?: ((place: string) => boolean) | undefined;
}

/**
 * Any writer of a log volume may place a link to a file that this process can read and the writer cannot: this
 * process's environment, tokens, passwords. So the target is checked, and the checked file is the one opened: an O_PATH
 * descriptor -> a regular file below an allowed root? -> the same file, through the descriptor. A FIFO that replaces
 * the file meanwhile is never opened. A root may be a link, and is resolved once at the start.
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
      // A missing root must not hold up the logs of the others.
      if (!roots.some((each) => (places.has(each) || existsSync(each)) && isBelow(place, placeOf(each))))
        throw new Error(`it leads to ${place}, outside of ${roots.join(' and ')}`);
      if (isOwn(place)) throw new Error(`it leads to ${place}, which is our own state`);
      if (!fstatSync(handle).isFile()) throw new Error('it is not a regular file');
      return openSync(`/proc/self/fd/${handle}`, READ);
    } finally {
      closeLog(handle);
    }
  };
}

/**
 * Closes a file that was only read. The descriptor is released even if the call fails, as it may on a network file
 * system, and there is nothing to be written.
 */
export function closeLog(fd: number): void {
  try {
    closeSync(fd);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** The directory of a glob before its first wildcard, or of a path. */
function rootOf(pattern: string): string {
  const parts = pattern.split('/');
  const magic = parts.findIndex((part) => MAGIC.test(part));
  return magic === -1 ? dirname(pattern) : parts.slice(0, magic).join('/') || '/';
}

function isBelow(place: string, root: string): boolean {
  return place.startsWith(root.endsWith(sep) ? root : root + sep);
}
