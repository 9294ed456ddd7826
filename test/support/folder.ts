import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerGone, ownerTag } from './owner.ts';

export interface Folder extends AsyncDisposable {
  readonly path: string;
}

const OPTIONS = { recursive: true, force: true, maxRetries: 5 };

/**
 * An empty folder of our own, removed at the end; after a kill, by the next run that makes one for the same purpose.
 * Its path is short: sockets in it must fit into 107 bytes.
 */
export async function privateFolder(purpose: string): Promise<Folder> {
  await removeLeftOvers(`kp-${purpose}-`);
  const path = await mkdtemp(join(tmpdir(), `kp-${purpose}-${ownerTag()}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, OPTIONS) };
}

async function removeLeftOvers(prefix: string): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names.filter((each) => each.startsWith(prefix) && ownerGone(each.slice(prefix.length)))) {
    // Another user's can't be removed, and two runs may find the same one.
    await rm(join(tmpdir(), name), OPTIONS).catch(() => {});
  }
}
