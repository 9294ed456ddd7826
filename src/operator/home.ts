import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../core/errors.ts';
import { writeError } from '../fs/write-error.ts';

/** The directory of Helm's caches and values. */
export interface HelmHome extends AsyncDisposable {
  readonly path: string;
}

const OTHERS_WRITE = 0o022;

/**
 * A directory that no other user can write to: what is in it decides which charts Helm installs.
 * @param directory where it stays between runs; undefined: a new one, which is removed
 * @throws ConfigError if another user could have prepared it
 */
export async function helmHome(directory: string | undefined): Promise<HelmHome> {
  const place = directory ?? tmpdir();
  try {
    if (directory === undefined) {
      const path = await mkdtemp(join(place, 'kolla-operator-'));
      return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
    }
    const path = join(directory, 'kolla-operator');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await requireOwn(path);
    return { path, [Symbol.asyncDispose]: () => Promise.resolve() };
  } catch (error) {
    throw writeError(`cannot write into ${place}`, 'set --directory to a directory that this uid may write', error);
  }
}

async function requireOwn(path: string): Promise<void> {
  const found = await lstat(path);
  const me = process.geteuid?.() ?? 0;
  if (found.isDirectory() && found.uid === me && (found.mode & OTHERS_WRITE) === 0) return;
  const what = !found.isDirectory()
    ? 'is no directory'
    : found.uid === me
      ? 'can be written by other users'
      : `belongs to uid ${found.uid}`;
  throw new ConfigError(
    `${path} ${what}, and this runs as uid ${me}: another user could choose what Helm installs; remove it, or set --directory`,
  );
}
