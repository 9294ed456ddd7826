import { globSync, readFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../build/bundle.ts';
import { checkBinary } from '../../build/check.ts';
import { buildBinary, type Built } from '../../build/make.ts';
import { cached } from '../../tools/cache.ts';
import { PLACE, removeOld } from '../support/bundled.ts';

const INDEX = 'built.json';

/** The source files of the binary and its images. */
export function binarySources(): string[] {
  const files = [
    'package-lock.json',
    'LICENSE',
    ...globSync(['{build,cmd,src,tools}/**/*.{ts,json,html,css}', 'native/*.{c,h}'], { cwd: ROOT }).toSorted(),
  ];
  return files.flatMap((file) => [file, readFileSync(join(ROOT, file), 'utf8')]);
}

/**
 * The binary of the current sources, with its links, after running every name; built once per source version. Its
 * directory must not be modified.
 */
export async function podBinary(): Promise<Built> {
  const directory = await cached(
    'binary',
    binarySources(),
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
  // It was built next to its final path.
  const core = { ...built.core, binary: join(directory, 'kolla-core') };
  return { ...built, directory, binary: join(directory, 'kolla-pod'), core };
}
