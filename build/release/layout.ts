import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Media types of the OCI image specification. */
export const MEDIA = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: { gzip: 'application/vnd.oci.image.layer.v1.tar+gzip', zstd: 'application/vnd.oci.image.layer.v1.tar+zstd' },
} as const;

const REF_NAME = 'org.opencontainers.image.ref.name';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An OCI image layout: the content of one repository of a registry, as a directory. */
export interface Layout {
  /** Adds a blob, or a JSON document. */
  add(mediaType: string, content: Uint8Array | object): Promise<Descriptor>;
  /** The content of one of the layout's blobs. */
  read(descriptor: Descriptor): Promise<Uint8Array>;
  addStream(mediaType: string, chunks: AsyncIterable<Uint8Array>): Promise<Descriptor>;
  tag(name: string, descriptor: Descriptor): void;
  /** The tagged descriptors, in the order of their tags' creation. */
  readonly tags: ReadonlyMap<string, Descriptor>;
  /** Writes index.json; before that the directory is no layout. */
  finish(): Promise<void>;
}

/** Creates a layout in a directory. */
export async function createLayout(directory: string): Promise<Layout> {
  const blobs = join(directory, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const tags = new Map<string, Descriptor>();
  return {
    tags,
    read: async ({ digest }) => await readFile(join(blobs, digest.replace('sha256:', ''))),
    add: async (mediaType, content) => {
      const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
      const hex = createHash('sha256').update(bytes).digest('hex');
      await writeFile(join(blobs, hex), bytes);
      return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
    },
    addStream: async (mediaType, chunks) => {
      const temporary = join(directory, `.${randomUUID()}`);
      const hash = createHash('sha256');
      let size = 0;
      await pipeline(
        chunks,
        async function* counted(source: AsyncIterable<Uint8Array>) {
          for await (const chunk of source) {
            hash.update(chunk);
            size += chunk.length;
            yield chunk;
          }
        },
        createWriteStream(temporary),
      );
      const hex = hash.digest('hex');
      await rename(temporary, join(blobs, hex));
      return { mediaType, digest: `sha256:${hex}`, size };
    },
    tag: (name, descriptor) => void tags.set(name, descriptor),
    finish: async () => {
      const manifests = [...tags].map(([name, descriptor]) => ({
        ...descriptor,
        annotations: { ...descriptor.annotations, [REF_NAME]: name },
      }));
      await writeFile(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}\n');
      const index = { schemaVersion: 2, mediaType: MEDIA.index, manifests };
      await writeFile(join(directory, 'index.json'), `${JSON.stringify(index)}\n`);
    },
  };
}
