import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative, isAbsolute } from 'node:path';
import { codeOf } from '../core/errors.ts';

/** A path of config.json relative to the root in use. */
export function under(root: string, path: string): string {
  return join(root, normalize(path));
}

/** Undefined if the path is missing or inaccessible. */
export function withoutLinks(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** This user may not write in a directory. */
export class NotWritableError extends RangeError {
  readonly directory: string;
  readonly why: string;

  constructor(directory: string, why: string, options: ErrorOptions) {
    super(`${directory} ${why}; mount a volume there that this user may write`, options);
    this.directory = directory;
    this.why = why;
  }
}

/**
 * Throws RangeError unless the parent of `path` is a directory inside `root` with all links resolved: a volume's link
 * must not redirect writes into the image. Synchronous, since the kernel's cache is faster than a thread switch, and
 * every file is checked.
 * @param root with links resolved
 * @param write also check write permission
 */
export function checkPlace(root: string, path: string, write: boolean): void {
  const directory = nearestPresent(dirname(path));
  const real = realpathSync.native(directory);
  const rest = relative(root, real);
  if (rest === '..' || rest.startsWith('../') || isAbsolute(rest))
    throw new RangeError(`${directory} is a link to ${real}, outside of ${root}`);
  if (!statSync(directory).isDirectory()) throw new RangeError(`${directory} is not a directory`);
  if (!write) return;
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const readOnly = codeOf(cause) === 'EROFS';
    throw new NotWritableError(directory, readOnly ? 'is on a read-only file system' : 'may not be written by us', {
      cause,
    });
  }
}

function nearestPresent(directory: string): string {
  try {
    if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return directory;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTDIR') throw new RangeError(`${dirname(directory)} is not a directory`, { cause: error });
    throw error;
  }
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined)
    throw new RangeError(`${directory} is a link to nowhere`);
  return nearestPresent(dirname(directory));
}
