import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exclusively } from './lock.ts';
import { ownerGone, ownerTag } from './owner.ts';
import { step } from './progress.ts';

/** Where fetched and built parts are kept between runs: outside the repository, `KOLLA_POD_CACHE` or the user's cache. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  return env['KOLLA_POD_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kolla-pod');
}

/**
 * A folder that is made once for what it is built from, and only whole: it is built beside its place and renamed, so
 * that an interrupted build leaves nothing to be found; a second run that wants it meanwhile waits for the first's.
 * @param madeFrom everything that the content depends on: versions, names, texts of recipes
 * @param build fills the folder that it is given
 * @param root where such folders lie
 */
export async function cached(
  name: string,
  madeFrom: readonly string[],
  build: (folder: string) => Promise<void>,
  root: string = cacheRoot(),
): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify(madeFrom)).digest('hex').slice(0, 12);
  const place = join(root, `${name}-${key}`);
  if (existsSync(place)) return place;
  await mkdir(root, { recursive: true });
  return await step(`setting up ${name} (once)`, () =>
    exclusively(place, async () => {
      if (existsSync(place)) return place;
      await removeLeftOvers(root);
      const temporary = await mkdtemp(join(root, `.${name}-${ownerTag()}-`));
      try {
        await build(temporary);
        await rename(temporary, place);
        return place;
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    }),
  );
}

/** What killed runs were building. */
async function removeLeftOvers(root: string): Promise<void> {
  const names = await readdir(root);
  for (const name of names.filter((each) => each.startsWith('.') && ownerGone(each))) {
    // Another user's can't be removed, and two runs may find the same one.
    await rm(join(root, name), { recursive: true, force: true }).catch(() => {});
  }
}
