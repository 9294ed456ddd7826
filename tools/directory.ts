import { accessSync, constants, statfsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerGone, ownerTag } from './owner.ts';

export interface Directory extends AsyncDisposable {
  readonly path: string;
}

const OPTIONS = { recursive: true, force: true, maxRetries: 5 };

/**
 * A private, empty directory, removed at the end; after a kill, by the next run that creates one for the same purpose.
 * Its path is short: socket paths in it must fit into 107 bytes.
 * @param where to use another file system than that of temporary files
 */
export async function privateDirectory(purpose: string, where: string = tmpdir()): Promise<Directory> {
  await removeLeftOvers(where, `kp-${purpose}-`);
  const path = await mkdtemp(join(where, `kp-${purpose}-${ownerTag()}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, OPTIONS) };
}

/** What inMemory() leaves to others: a container's /dev/shm often has no more than 64 MiB. */
const LEFT_BYTES = 6 * 1024 ** 3;

/**
 * Where directories in memory can be, for servers and for tests that sync many files: on a disk that takes most of the time, and
 * seconds for each sync if others write. It is that of temporary files if /dev/shm is small or nearly full.
 */
export function inMemory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > LEFT_BYTES ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function removeLeftOvers(where: string, prefix: string): Promise<void> {
  const names = await readdir(where);
  for (const name of names.filter((each) => each.startsWith(prefix) && ownerGone(each.slice(prefix.length)))) {
    // Another user's directory cannot be removed, and two runs may find the same one.
    await rm(join(where, name), OPTIONS).catch(() => {});
  }
}
