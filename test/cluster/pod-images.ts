import { globSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HERE } from '../../build/base.ts';
import { ROOT } from '../../build/bundle.ts';
import { libraryPackages } from '../../build/images/base.ts';
import { buildImages, type BuiltImage } from '../../build/images/index.ts';
import { messageOf } from '../../src/cli/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { imageTar } from '../../tools/image.ts';
import { kollaEnv, keystoneLayers } from './keystone-image.ts';
import { tarOf } from '../../tools/tar.ts';

const PLACE = join(ROOT, 'node_modules/.cache/kolla-pod');
const KEPT_MS = 3 * 3600 * 1000;
const INDEX = 'images.json';

/** Both images of the sources as they are now, for this machine; built once for the same sources. */
export async function podImages(): Promise<readonly BuiltImage[]> {
  const sources = [
    'package-lock.json',
    'LICENSE',
    ...globSync('{build,cmd,src,tools}/**/*.{ts,json,html,css}', { cwd: ROOT }).toSorted(),
  ];
  const texts = sources.flatMap((file) => [file, readFileSync(join(ROOT, file), 'utf8')]);
  const madeFrom = ['2', basename(await libraryPackages(HERE.arch)), ...texts];
  const folder = await cached(
    'images',
    madeFrom,
    async (place) => {
      removeOld();
      const images = await buildImages({ folder: place, target: HERE, repository: 'kolla-pod', say: () => {} });
      await writeFile(join(place, INDEX), JSON.stringify(images));
      const script = 'tar -xOf "$0" layer-0.tar | tar -xO opt/kolla-pod/kolla-pod > kolla-pod && chmod 755 kolla-pod';
      await must('sh', ['-ec', script, scratchOf(images).file], { cwd: place });
    },
    PLACE,
  );
  const images = JSON.parse(readFileSync(join(folder, INDEX), 'utf8')) as BuiltImage[];
  // It was built beside its place.
  return images.map((image) => ({ ...image, file: join(folder, basename(image.file)) }));
}

function scratchOf(images: readonly BuiltImage[]): BuiltImage {
  const scratch = images.find(({ kind }) => kind === 'scratch');
  if (scratch === undefined) throw new Error('no image is called scratch');
  return scratch;
}

/** The binary that both hold, as a file. */
export async function podBinary(): Promise<string> {
  return join(dirname(scratchOf(await podImages()).file), 'kolla-pod');
}

/** Writes Keystone's image as a docker-archive without anything of ours in it. */
export async function unmodifiedKeystone(file: string, reference: string): Promise<void> {
  const layers = (await keystoneLayers({ binary: await podBinary() })).slice(0, -1);
  const extendStart = tarOf([{ name: 'usr/local/bin/kolla_extend_start', mode: 0o644 }]);
  await imageTar(file, { reference, layers: [...layers, extendStart], env: kollaEnv('keystone') });
}

/** Proven by building them, which is nothing once that was done for these sources. */
export const canBuildImages: Capability = async () => {
  try {
    await podImages();
    return undefined;
  } catch (error) {
    return `the images can't be made here: ${messageOf(error)}`;
  }
};

/** Those of sources that have changed since: 240 MB each. */
function removeOld(): void {
  for (const name of readdirSync(PLACE).filter((each) => each.startsWith('images-'))) {
    const path = join(PLACE, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
