import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreAbsent } from '../../fs/absent.ts';
import { isThere } from '../../fs/access.ts';
import { replaceOwn } from './own-file.ts';

/** The first destination's: what `kolla-probe log-ship` looks at. */
const FIRST = 'checkpoint.json';
/** Says whose that is. */
const OWNER = 'checkpoint.of';
const STDOUT = 'stdout';

/**
 * The checkpoint's name of each destination. Who changes the order of `--to` must not have one go on where another was: the
 * files change names as well. Where a server takes the place of another, which may be another name of the same, it goes on
 * there; stdout, where somebody looks, takes nobody's place.
 * @param names of the destinations
 */
export async function checkpointNames(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const [first = ''] = names;
  const owner = await readFile(join(folder, OWNER), 'utf8').then((text) => text.trim(), ignoreAbsent);
  const hasOwn = await isThere(join(folder, nameFor(first)));
  const isReplaced = owner !== undefined && owner !== first;
  // What somebody printed is in no server, and what a server has was not printed.
  const areServers = ![owner, first].includes(STDOUT);
  if (isReplaced && (names.includes(owner) || hasOwn || !areServers))
    await rename(join(folder, FIRST), join(folder, nameFor(owner))).catch(ignoreAbsent);
  // Before the rename: after a start that died in between, what lies there must not be taken for the former owner's.
  if (owner !== first) await replaceOwn(join(folder, OWNER), `${first}\n`);
  if (hasOwn && !(await isThere(join(folder, FIRST)))) await rename(join(folder, nameFor(first)), join(folder, FIRST));
  return names.map((name, at) => (at === 0 ? FIRST : nameFor(name)));
}

function nameFor(destination: string): string {
  return `checkpoint-${destination}.json`;
}
