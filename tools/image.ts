import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { BLOCK, tarHeader, tarOf, tarPadding } from './tar.ts';

/** The bytes of one layer, a tar archive: `layerOfDirectory()`, `tarOf([...])`, or `layerOfFile()`. */
export type Layer = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface Image {
  /** Name and tag. A kubelet would try to pull the tag `latest`. */
  readonly reference: string;
  /** More names and tags of the image. */
  readonly otherReferences?: readonly string[];
  /** The layers from bottom to top; each is read once, as a stream. */
  readonly layers: readonly Layer[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The user: `uid:gid`, or names from the image's own /etc/passwd. */
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The architecture in the spelling of images: `arm64` (default: this machine's). */
  readonly architecture?: string;
}

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };
const NO_TIME = '1970-01-01T00:00:00Z';

/**
 * Writes an image as a docker-archive, which `ctr images import` and `docker load` read. Memory is bounded for any
 * layer size, and the same layers give the same file. An unfinished file is removed.
 * @returns the image's id, the digest of its configuration: `sha256:...`
 */
export async function imageTar(file: string, image: Image): Promise<string> {
  const [id = ''] = await imagesTar(file, [image]);
  return id;
}

/**
 * Writes several images as one docker-archive. A layer (the same object) shared by several images is written once, and
 * imported once.
 * @returns their ids
 */
export async function imagesTar(file: string, images: readonly Image[]): Promise<string[]> {
  const archive = await open(file, 'w');
  try {
    const written = new Map<Layer, { name: string; digest: string }>();
    let position = 0;
    for (const layer of images.flatMap((image) => image.layers)) {
      if (written.has(layer)) continue;
      const name = `layer-${written.size}.tar`;
      const { digest, end } = await writeLayer(archive, position, name, layer);
      written.set(layer, { name, digest });
      position = end;
    }
    const described = images.map((image) => describe(image, written));
    const rest = tarOf([
      ...described.map(({ config, configName }) => ({ name: configName, mode: 0o644, content: config })),
      { name: 'manifest.json', mode: 0o644, content: JSON.stringify(described.map(({ entry }) => entry)) },
    ]);
    await archive.write(Buffer.concat([...rest]), 0, undefined, position);
    return described.map(({ id }) => `sha256:${id}`);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await archive.close();
  }
}

/** An image's configuration, and its entry in the archive's manifest. */
function describe(
  image: Image,
  written: ReadonlyMap<Layer, { name: string; digest: string }>,
): { id: string; config: string; configName: string; entry: object } {
  const layers = image.layers.flatMap((layer) => written.get(layer) ?? []);
  const config = JSON.stringify(configOf(image, layers));
  const id = createHash('sha256').update(config).digest('hex');
  const configName = `${id}.json`;
  const entry = {
    Config: configName,
    RepoTags: [image.reference, ...(image.otherReferences ?? [])],
    Layers: layers.map(({ name }) => name),
  };
  return { id, config, configName, entry };
}

/**
 * A layer with a directory's content, made by `tar` in a fixed order and with fixed times.
 * @param tarArguments such as `--owner=0 --group=0`, `--exclude=./usr/share/doc`, `--transform=s,^\./,./opt/,`
 */
export async function* layerOfDirectory(
  directory: string,
  tarArguments: readonly string[] = [],
): AsyncGenerator<Uint8Array> {
  const fixed = ['--sort=name', '--mtime=@0', '--numeric-owner', '--format=gnu'];
  const tar = spawn('tar', ['--create', '--file=-', ...fixed, ...tarArguments, `--directory=${directory}`, '.'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  tar.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const closed = once(tar, 'close') as Promise<[number | null]>;
  closed.catch(() => {}); // The stream is read below.
  try {
    for await (const chunk of tar.stdout as AsyncIterable<Buffer>) yield chunk;
    const [code] = await closed;
    if (code !== 0) throw new Error(`tar of ${directory} ended with ${code}: ${said.slice(-2000)}`);
  } finally {
    tar.kill();
  }
}

/**
 * A layer from an existing tar archive. It is opened when read: a stream created earlier could fail without a
 * listener.
 */
export async function* layerOfFile(file: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) yield chunk;
}

/** Writes the header last, because it has the size of the content: so a layer needs no second copy on disk. */
async function writeLayer(
  archive: FileHandle,
  start: number,
  name: string,
  layer: Layer,
): Promise<{ digest: string; end: number }> {
  const hash = createHash('sha256');
  const content = start + BLOCK;
  let position = content;
  for await (const chunk of layer) {
    hash.update(chunk);
    await archive.write(chunk, 0, chunk.length, position);
    position += chunk.length;
  }
  const size = position - content;
  const padding = tarPadding(size);
  await archive.write(tarHeader({ name, mode: 0o644 }, size), 0, undefined, start);
  await archive.write(padding, 0, padding.length, position);
  return { digest: hash.digest('hex'), end: position + padding.length };
}

function configOf(image: Image, layers: readonly { digest: string }[]): unknown {
  return {
    architecture: image.architecture ?? ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    created: NO_TIME,
    config: {
      Entrypoint: image.entrypoint,
      Cmd: image.command,
      Env: Object.entries(image.env ?? {}).map(([name, value]) => `${name}=${value}`),
      User: image.user,
      WorkingDir: image.workingDirectory,
      Labels: image.labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
    history: layers.map(() => ({ created: NO_TIME, created_by: 'kolla-pod' })),
  };
}
