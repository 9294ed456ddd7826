import { copyFile, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '../../src/core/version.ts';
import { BLOCK, entriesOf, tarOf, type ArchivedEntry } from '../../tools/tar.ts';
import type { BuiltImage } from '../images/index.ts';

/** The image's name once loaded, whatever the registry that the release is for. */
const REFERENCE = `kolla-pod:${VERSION}`;

/**
 * Copies the runnable image of each architecture as a docker-archive, which kind, minikube, k3s and Docker load without a
 * registry.
 */
export async function writeLoadable(directory: string, images: readonly BuiltImage[]): Promise<void> {
  for (const { file, architecture } of images.filter(({ kind }) => kind === 'install')) {
    const copy = join(directory, `kolla-pod-${VERSION}-image-${architecture}.tar`);
    await copyFile(file, copy);
    await using archive = await open(copy, 'r+');
    await nameImage(archive, await lastOf(archive));
  }
}

/** imageTar() writes the manifest last, so that another one can take its place. */
async function nameImage(archive: FileHandle, { name, position, size }: ArchivedEntry): Promise<void> {
  if (name !== 'manifest.json') throw new Error(`the image's archive ends with ${name}`);
  const content = Buffer.alloc(size);
  await archive.read(content, 0, size, position);
  const described = (JSON.parse(content.toString()) as object[]).map((image) => ({ ...image, RepoTags: [REFERENCE] }));
  const rest = Buffer.concat([...tarOf([{ name, mode: 0o644, content: JSON.stringify(described) }])]);
  await archive.truncate(position - BLOCK);
  await archive.write(rest, 0, rest.length, position - BLOCK);
}

async function lastOf(archive: FileHandle): Promise<ArchivedEntry> {
  let last: ArchivedEntry | undefined;
  for await (const entry of entriesOf(archive)) last = entry;
  if (last === undefined) throw new Error("the image's archive is empty");
  return last;
}
