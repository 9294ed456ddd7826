import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative, isAbsolute } from 'node:path';

/** A path of config.json under our root. */
export function under(root: string, path: string): string {
  return join(root, normalize(path));
}

/** Undefined for what is not there, or can't be looked at. */
export function withoutLinks(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * Throws RangeError unless what lies above `path` is a directory inside `root` when all links are followed: a volume's
 * own link must not lead our writes into the image. Asked for every file, and what the kernel has cached is known sooner
 * than a thread is woken: so it is synchronous.
 * @param root without links
 * @param write also whether we may write there
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
    const readOnly = (cause as NodeJS.ErrnoException).code === 'EROFS';
    const why = readOnly ? 'is on a read-only file system' : 'may not be written by us';
    throw new RangeError(`${directory} ${why}; mount a volume there that this user may write`, { cause });
  }
}

function nearestPresent(directory: string): string {
  try {
    if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return directory;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') throw new RangeError(`${dirname(directory)} is not a directory`, { cause: error });
    throw error;
  }
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined)
    throw new RangeError(`${directory} is a link to nowhere`);
  return nearestPresent(dirname(directory));
}
