import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ignoreAbsent } from '../src/fs/absent.ts';
import { exclusively } from './lock.ts';
import { ownerGone, ownerTag } from './owner.ts';
import { step } from './progress.ts';

/** Time after which unused parts are removed, which is longer than most branches rest. */
const UNUSED_MS = 14 * 24 * 3600 * 1000;

/**
 * Directory of downloaded and built parts, kept between runs: outside the repository, `KOLLA_POD_CACHE` or the user's
 * cache.
 */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  return env['KOLLA_POD_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kolla-pod');
}

const beingSetUp = new Set<string>();

/** Parts that this process is building, or waiting for another process to build. */
export function partsBeingSetUp(): readonly string[] {
  return [...beingSetUp];
}

/**
 * A directory built once per content of its inputs, atomically: it is built under a temporary name and renamed, so
 * that an interrupted build leaves no result; a concurrent run waits for the first. A new build
 * removes results of other inputs under the same name that were not used for two weeks.
 * @param madeFrom everything that the content depends on: versions, names, texts of recipes
 * @param build fills the given directory
 * @param root parent of these directories
 */
export async function cached(
  name: string,
  madeFrom: readonly string[],
  build: (directory: string) => Promise<void>,
  root: string = cacheRoot(),
): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify(madeFrom)).digest('hex').slice(0, 12);
  const place = join(root, `${name}-${key}`);
  if (existsSync(place)) {
    await markUsed(place);
    return place;
  }
  await mkdir(root, { recursive: true });
  beingSetUp.add(place);
  const setUp = step(`setting up ${name} (once)`, () =>
    exclusively(place, async () => {
      if (existsSync(place)) return place;
      await removeLeftOvers(root);
      const temporary = await mkdtemp(join(root, `.${name}-${ownerTag()}-`));
      try {
        await build(temporary);
        await rename(temporary, place);
        await markUsed(place);
        await exclusively(join(root, name), () => removeUnused(name, root));
        return place;
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    }),
  );
  return await setUp.finally(() => beingSetUp.delete(place));
}

/**
 * The file whose modification time is a part's last use. It is next to the part, which must not change under its
 * readers.
 */
function markOf(place: string): string {
  return join(dirname(place), 'used', basename(place));
}

async function markUsed(place: string): Promise<void> {
  try {
    await mkdir(dirname(markOf(place)), { recursive: true });
    await writeFile(markOf(place), '');
  } catch (error) {
    // The part is owned by another user, or on a read-only disk: then it cannot be removed either.
    if (!['EPERM', 'EACCES', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Removes directories of the same name under former keys that are no longer in use. */
async function removeUnused(name: string, root: string): Promise<void> {
  const keyed = (await readdir(root)).filter(
    (each) => each.startsWith(`${name}-`) && /^[0-9a-f]{12}$/.test(each.slice(name.length + 1)),
  );
  for (const each of keyed) {
    const place = join(root, each);
    const { mtimeMs } = (await stat(markOf(place)).catch(ignoreAbsent)) ?? (await stat(place));
    if (Date.now() - mtimeMs <= UNUSED_MS) continue;
    await rm(place, { recursive: true, force: true });
    await rm(markOf(place), { force: true });
  }
}

/** Removes unfinished builds of killed runs. */
async function removeLeftOvers(root: string): Promise<void> {
  const names = await readdir(root);
  for (const name of names.filter((each) => each.startsWith('.') && ownerGone(each))) {
    // Another user's build cannot be removed, and two runs may find the same one.
    await rm(join(root, name), { recursive: true, force: true }).catch(() => {});
  }
}
