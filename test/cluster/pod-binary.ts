import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBinary } from '../../build/check.ts';
import { buildBinary, type Built } from '../../build/make.ts';
import { cached } from '../../tools/cache.ts';
import { PLACE, removeOld } from '../support/bundled.ts';
import { digestOf } from '../support/source-digests.ts';

const INDEX = 'built.json';

/**
 * The binary of the current sources, with its links, after running every name; built once per source version. Its
 * directory must not be modified.
 */
export async function podBinary(): Promise<Built> {
  const directory = await cached(
    'binary',
    [digestOf('binary')],
    async (place) => {
      removeOld();
      // A temporary directory is private, but other users run the binary.
      await chmod(place, 0o755);
      const built = await buildBinary(place, () => {});
      await checkBinary(built);
      await writeFile(join(place, INDEX), JSON.stringify(built));
    },
    PLACE,
  );
  const built = JSON.parse(await readFile(join(directory, INDEX), 'utf8')) as Built;
  // The recorded paths are those of the temporary directory in which the binary was built.
  const core = { ...built.core, binary: join(directory, 'kolla-core') };
  return { ...built, directory, binary: join(directory, 'kolla-pod'), core };
}
