import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { entriesOf } from '../../tools/tar.ts';

/** Compression level of most registries. */
export const GZIP_LEVEL = 6;

export interface Sizes {
  readonly bytes: number;
  /** The compressed total, as in a registry. */
  readonly gzip: number;
  /** The lowest layer's share of the total, if there are two layers. */
  readonly base: number;
}

/** The sizes of an image in a docker-archive. */
export async function sizesOf(file: string): Promise<Sizes> {
  let gzip = 0;
  await pipeline(createReadStream(file), createGzip({ level: GZIP_LEVEL }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const { length } of chunks) gzip += length;
  });
  const layers = await layerBytes(file);
  return { bytes: (await stat(file)).size, gzip, base: layers.length > 1 ? (layers[0] ?? 0) : 0 };
}

async function layerBytes(file: string): Promise<number[]> {
  await using archive = await open(file);
  const sizes: number[] = [];
  for await (const { name, size } of entriesOf(archive)) if (name.startsWith('layer-')) sizes.push(size);
  return sizes;
}
