import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HERE } from '../../build/base.ts';
import { libraryPackages } from '../../build/images/base.ts';
import { buildImages, type BuiltImage } from '../../build/images/index.ts';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { imageTar, type Layer } from '../../tools/image.ts';
import { PLACE, removeOld } from '../support/bundled.ts';
import { digestOf } from '../support/source-digests.ts';
import { helperEntries, keystoneLayers, kollaEnv } from './keystone-image.ts';
import { podBinary } from './pod-binary.ts';
import { operatorSources } from './sources.ts';
import { tarOf } from '../../tools/tar.ts';

const INDEX = 'images.json';

/** All images of the current sources for this machine, built once per version of the sources. */
export async function podImages(): Promise<readonly BuiltImage[]> {
  const madeFrom = ['4', basename(await libraryPackages(HERE.arch)), digestOf('binary'), ...operatorSources()];
  const directory = await cached(
    'images',
    madeFrom,
    async (place) => {
      removeOld();
      const images = await buildImages({
        directory: place,
        target: HERE,
        repository: 'kolla-pod',
        say: () => {},
        built: await podBinary(),
      });
      await writeFile(join(place, INDEX), JSON.stringify(images));
    },
    PLACE,
  );
  const images = JSON.parse(readFileSync(join(directory, INDEX), 'utf8')) as BuiltImage[];
  // The recorded paths are those of the temporary directory in which the images were built.
  return images.map((image) => ({ ...image, file: join(directory, basename(image.file)) }));
}

/** Writes the image of Keystone as a docker-archive, without our files. */
export async function unmodifiedKeystone(file: string, reference: string): Promise<void> {
  await imageTar(file, { reference, layers: await unmodifiedLayers(), env: kollaEnv('keystone') });
}

/** Its layers, starting with the lowest. */
export async function unmodifiedLayers(): Promise<Layer[]> {
  const layers = await keystoneLayers(await podBinary());
  return [...layers.slice(0, -1), tarOf(await helperEntries(undefined))];
}

/** Tested by building them, which is immediate if they are cached. */
export const canBuildImages: Capability = async () => {
  try {
    await podImages();
    return undefined;
  } catch (error) {
    return `the images can't be built here: ${messageOf(error)}`;
  }
};
