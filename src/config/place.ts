import { access, constants, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, normalize, relative, isAbsolute } from 'node:path';

/** A path of config.json under our root. */
export function under(root: string, path: string): string {
  return join(root, normalize(path));
}

/**
 * Throws RangeError unless what lies above `path` is a folder inside `root` when all links are followed: a volume's
 * own link must not lead our writes into the image.
 * @param write also whether we may write there
 */
export async function checkPlace(root: string, path: string, write: boolean): Promise<void> {
  const folder = await nearestPresent(dirname(path));
  const real = await realpath(folder);
  const rest = relative(await realpath(root), real);
  if (rest === '..' || rest.startsWith('../') || isAbsolute(rest))
    throw new RangeError(`${folder} is a link to ${real}, outside of ${root}`);
  if (!(await stat(folder)).isDirectory()) throw new RangeError(`${folder} is not a folder`);
  if (!write) return;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const readOnly = (cause as NodeJS.ErrnoException).code === 'EROFS';
    const why = readOnly ? 'is on a read-only file system' : 'may not be written by us';
    throw new RangeError(`${folder} ${why}; mount a volume there that this user may write`, { cause });
  }
}

async function nearestPresent(folder: string): Promise<string> {
  try {
    await stat(folder);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') throw new RangeError(`${dirname(folder)} is not a folder`, { cause: error });
    if (code !== 'ENOENT' || folder === '/') throw error;
    if (await isLink(folder)) throw new RangeError(`${folder} is a link to nowhere`, { cause: error });
    return await nearestPresent(dirname(folder));
  }
}

async function isLink(path: string): Promise<boolean> {
  return await readlink(path).then(
    () => true,
    () => false,
  );
}
