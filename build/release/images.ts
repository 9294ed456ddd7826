/**
 * The images of all architectures as indexes in an OCI layout:
 *
 *   docker-archive of an image (build/images) -> its layers, compressed, and its configuration unchanged -> a manifest
 *     -> one index per image, with a manifest for each architecture
 *
 * The image ids stay those of the archives. A layer that several images have is compressed once.
 */
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import type { Readable } from 'node:stream';
import { VERSION } from '../../src/core/version.ts';
import { entriesOf, type ArchivedEntry } from '../../tools/tar.ts';
import { KINDS, labelsOf, type Kind } from '../images/contents.ts';
import type { BuiltImage } from '../images/index.ts';
import { GZIP_LEVEL } from '../images/sizes.ts';
import { MEDIA, type Descriptor, type Layout } from './layout.ts';

/** `zstd` is smaller and faster to unpack; Docker before 23 does not read it. */
export type Compression = 'gzip' | 'zstd';

const ZSTD_LEVEL = 19;

/** The tag of an image: the version, with the kind unless it is the runnable one. */
export function tagOf(kind: Kind): string {
  return kind === 'install' ? VERSION : `${VERSION}-${kind}`;
}

/** Adds an index for each kind of image, with its tag. */
export async function addImages(
  layout: Layout,
  images: readonly BuiltImage[],
  compression: Compression,
): Promise<void> {
  const known = new Map<string, Descriptor>();
  for (const kind of KINDS) {
    const own = images.filter((image) => image.kind === kind);
    if (own.length === 0) continue;
    const manifests: Descriptor[] = [];
    for (const { file, architecture } of own) {
      const manifest = await addImage(layout, file, kind, compression, known);
      const variant: Record<string, string> = architecture === 'arm64' ? { variant: 'v8' } : {};
      manifests.push({ ...manifest, platform: { architecture, os: 'linux', ...variant } });
    }
    const index = { schemaVersion: 2, mediaType: MEDIA.index, manifests, annotations: labelsOf(kind, VERSION) };
    layout.tag(tagOf(kind), await layout.add(MEDIA.index, index));
  }
}

/** @param known the layers that the layout has, by the digest of their content before compression */
async function addImage(
  layout: Layout,
  file: string,
  kind: Kind,
  compression: Compression,
  known: Map<string, Descriptor>,
): Promise<Descriptor> {
  await using archive = await open(file);
  const entries = new Map<string, ArchivedEntry>();
  for await (const entry of entriesOf(archive)) entries.set(entry.name, entry);
  const [described] = JSON.parse((await contentOf(archive, entries, 'manifest.json')).toString()) as Described[];
  if (described === undefined) throw new Error(`${file}: no image in manifest.json`);
  const content = await contentOf(archive, entries, described.Config);
  const { rootfs } = JSON.parse(content.toString()) as Configuration;
  const layers: Descriptor[] = [];
  for (const [i, name] of described.Layers.entries()) {
    const digest = rootfs.diff_ids[i] ?? '';
    const { position, size } = entryNamed(entries, name);
    const add = () => {
      const bytes = createReadStream(file, { start: position, end: position + size - 1 });
      return layout.addStream(MEDIA.layer[compression], compressed(bytes, compression));
    };
    const layer = known.get(digest) ?? (await add());
    known.set(digest, layer);
    layers.push(layer);
  }
  const config = await layout.add(MEDIA.config, content);
  const annotations = labelsOf(kind, VERSION);
  return await layout.add(MEDIA.manifest, { schemaVersion: 2, mediaType: MEDIA.manifest, config, layers, annotations });
}

/** The used field of an image's configuration. */
interface Configuration {
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** An image in manifest.json of a docker-archive. */
interface Described {
  readonly Config: string;
  readonly Layers: readonly string[];
}

function entryNamed(entries: ReadonlyMap<string, ArchivedEntry>, name: string): ArchivedEntry {
  const entry = entries.get(name);
  if (entry === undefined) throw new Error(`the image's archive has no ${name}`);
  return entry;
}

async function contentOf(
  archive: FileHandle,
  entries: ReadonlyMap<string, ArchivedEntry>,
  name: string,
): Promise<Buffer> {
  const { position, size } = entryNamed(entries, name);
  const bytes = Buffer.alloc(size);
  await archive.read(bytes, 0, size, position);
  return bytes;
}

function compressed(bytes: Readable, compression: Compression): AsyncIterable<Uint8Array> {
  return bytes.compose(compressor(compression));
}

function compressor(compression: Compression) {
  return compression === 'gzip'
    ? createGzip({ level: GZIP_LEVEL })
    : createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
}
