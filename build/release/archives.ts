import { createWriteStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { VERSION } from '../../src/core/version.ts';
import { PLACE } from '../../src/toolbox/install/place-names.ts';
import { entriesOf, tarOf, type ArchivedEntry, type TarEntry } from '../../tools/tar.ts';
import type { BuiltImage } from '../images/index.ts';
import { GZIP_LEVEL } from '../images/sizes.ts';

/** The archive with an image's files, by the image's kind. */
const PROGRAMS: Partial<Record<BuiltImage['kind'], string>> = { scratch: 'kolla-pod', core: 'kolla-core' };
const DIRECTORY = `${PLACE.slice(1)}/`;

/**
 * Writes NAME-VERSION-linux-ARCH.tar.gz for the images that contain only our files, with the same files below a
 * directory of that name.
 * @returns the names of the archives
 */
export async function writeArchives(directory: string, images: readonly BuiltImage[]): Promise<string[]> {
  const names: string[] = [];
  for (const { kind, architecture, file } of images) {
    const program = PROGRAMS[kind];
    if (program === undefined) continue;
    const name = `${program}-${VERSION}-linux-${architecture}`;
    await using image = await open(file);
    await pipeline(
      tarOf(await filesOf(image, name)),
      createGzip({ level: GZIP_LEVEL }),
      createWriteStream(join(directory, `${name}.tar.gz`)),
    );
    names.push(`${name}.tar.gz`);
  }
  return names;
}

/** The entries of the image's only layer, below the directory `name` instead of /opt/kolla-pod. */
async function filesOf(image: FileHandle, name: string): Promise<TarEntry[]> {
  const files: TarEntry[] = [];
  for await (const layer of entriesOf(image)) {
    if (!layer.name.startsWith('layer-')) continue;
    for await (const entry of entriesOf(image, layer.position))
      if (entry.name.startsWith(DIRECTORY))
        files.push(await copyOf(image, entry, `${name}/${entry.name.slice(DIRECTORY.length)}`));
  }
  return files;
}

async function copyOf(
  image: FileHandle,
  { mode, size, position, link }: ArchivedEntry,
  name: string,
): Promise<TarEntry> {
  if (link !== '') return { name, mode, link };
  const content = Buffer.alloc(size);
  await image.read(content, 0, size, position);
  return name.endsWith('/') ? { name, mode } : { name, mode, content };
}
