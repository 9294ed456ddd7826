/** Writes a release from built images (see ../release.ts for the data flow). */
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VERSION } from '../../src/core/version.ts';
import { ROOT } from '../bundle.ts';
import type { BuiltImage } from '../images/index.ts';
import { writeArchives } from './archives.ts';
import type { Publication } from './artifact-hub.ts';
import { changesOf } from './changes.ts';
import { writeCharts } from './charts.ts';
import { sumsOf } from '../digest.ts';
import { addImages, type Compression } from './images.ts';
import { fingerprintOf, type Signer } from './key.ts';
import { createLayout, type Layout } from './layout.ts';
import { writeLoadable } from './loadable.ts';
import { writeOperator } from './operator.ts';
import { envelopeOf, statementOf, type Source, type Subject } from './provenance.ts';
import { signLayout } from './signatures.ts';

export interface ReleaseOptions {
  /** The parent of the release's directory; a former release of the same version is replaced at the very end. */
  readonly directory: string;
  /** The images of every architecture, with their SBOMs and licences next to them. */
  readonly images: readonly BuiltImage[];
  readonly compression: Compression;
  /** The name of the images that signatures state. */
  readonly repository: string;
  readonly source: Source;
  /** URI of the system that runs the build. */
  readonly builder: string;
  /** The key to sign with; without it the release is not signed. */
  readonly signer?: Signer;
  /** URL of the public key, which Artifact Hub shows. */
  readonly keyUrl?: string;
}

const IMAGES = 'kolla-pod';

/** @returns the release's directory */
export async function writeRelease(options: ReleaseOptions): Promise<string> {
  const { directory, images, compression, repository, source, builder, signer, keyUrl } = options;
  const changes = changesOf(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), VERSION);
  await mkdir(directory, { recursive: true });
  const work = await mkdtemp(join(directory, '.release-'));
  try {
    await writeFile(join(work, 'CHANGES.md'), changes);
    await writePapers(work, images);
    await writeOperator(work, repository, await readme('operator'));
    await writeArchives(work, images);
    await writeLoadable(work, images);
    const publication = {
      changes,
      image: `${repository}:${VERSION}`,
      source: source.uri,
      signKey:
        signer && keyUrl !== undefined ? { fingerprint: fingerprintOf(signer.publicKey), url: keyUrl } : undefined,
    };
    const layouts = [
      await imagesLayout(work, images, compression),
      ...(await chartLayouts(work, source.time, publication)),
    ];
    for (const { path, layout } of layouts) {
      if (signer !== undefined) await signLayout(layout, nameIn(repository, path), signer);
      await layout.finish();
    }
    await writeFile(join(work, 'oci/tags'), layouts.flatMap(linesOf).join(''));
    const architectures = [...new Set(images.map(({ architecture }) => architecture))];
    const statement = statementOf(
      [
        ...(await fileSubjects(work)),
        ...layouts.flatMap(({ path, layout }) => imageSubjects(repository, path, layout)),
      ],
      source,
      { architectures, compression, repository, ...(keyUrl !== undefined && { keyUrl }) },
      builder,
    );
    await writeFile(join(work, 'provenance.json'), `${JSON.stringify(statement, undefined, 2)}\n`);
    if (signer !== undefined) await writeSigned(work, statement, signer);
    await writeSums(work, signer);
    // mkdtemp's mode is 0700 whatever the umask, and the release is for others too.
    await chmod(work, 0o755);
    await rm(join(directory, VERSION), { recursive: true, force: true });
    await rename(work, join(directory, VERSION));
    return join(directory, VERSION);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A layout, and its path below `oci/`, which is also its repository in a registry. */
interface Located {
  readonly path: string;
  readonly layout: Layout;
}

async function imagesLayout(work: string, images: readonly BuiltImage[], compression: Compression): Promise<Located> {
  const layout = await createLayout(join(work, 'oci', IMAGES));
  await addImages(layout, images, compression);
  return { path: IMAGES, layout };
}

async function chartLayouts(work: string, time: string, publication: Publication): Promise<Located[]> {
  return (await writeCharts(work, time, publication)).map(({ repository, layout }) => ({ path: repository, layout }));
}

/** The repository of a layout in the registry: images are in `repository` itself, charts below it. */
function nameIn(repository: string, path: string): string {
  return path === IMAGES ? repository : `${repository}/${path}`;
}

/** The lines of publish.sh's list: signatures come first, so that no tag is ever without its signature. */
function linesOf({ path, layout }: Located): string[] {
  const tags = [...layout.tags.keys()];
  const isSignature = (tag: string) => tag.endsWith('.sig');
  const ordered = [...tags.filter(isSignature), ...tags.filter((tag) => !isSignature(tag))];
  return ordered.map((tag) => `${path} ${tag}\n`);
}

async function writePapers(work: string, images: readonly BuiltImage[]): Promise<void> {
  await mkdir(join(work, 'sbom'));
  for (const { file, kind, architecture } of images) {
    await copyFile(
      file.replace(/\.tar$/, '.cdx.json'),
      join(work, 'sbom', `kolla-pod-${kind}-${architecture}.cdx.json`),
    );
    const licences = `kolla-pod-${architecture}.LICENSES`;
    await copyFile(join(dirname(file), licences), join(work, licences));
  }
  await copyFile(join(ROOT, 'LICENSE'), join(work, 'LICENSE'));
  await copyFile(join(ROOT, 'k8s/globals.yml'), join(work, 'globals.yml'));
  await copyFile(join(import.meta.dirname, 'publish.sh'), join(work, 'publish.sh'));
  await writeFile(join(work, 'README.md'), await readme('releases'));
}

/** A page of docs/how-to without links, because their targets are not in the release. */
async function readme(name: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/how-to', `${name}.md`), 'utf8');
  return page.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}

/** The provenance's subjects for files outside of `oci/`. See imageSubjects() for the content of `oci/`. */
async function fileSubjects(work: string): Promise<Subject[]> {
  const sums = [...(await sumsOf(work))].filter(([name]) => !name.startsWith('oci/'));
  return sums.map(([name, sum]) => ({ name, sha256: sum }));
}

function imageSubjects(repository: string, path: string, layout: Layout): Subject[] {
  const own = [...layout.tags].filter(([tag]) => !tag.endsWith('.sig'));
  return own.map(([tag, { digest }]) => ({
    name: `${nameIn(repository, path)}:${tag}`,
    sha256: digest.replace('sha256:', ''),
  }));
}

async function writeSigned(work: string, statement: object, signer: Signer): Promise<void> {
  const envelope = JSON.stringify(envelopeOf(statement, signer));
  await writeFile(join(work, `kolla-pod-${VERSION}.intoto.jsonl`), `${envelope}\n`);
  await writeFile(join(work, 'cosign.pub'), signer.publicKey);
}

/** Writes SHA256SUMS of every file, blobs included, and its signature as `cosign sign-blob` writes it. */
async function writeSums(work: string, signer: Signer | undefined): Promise<void> {
  const sums = [...(await sumsOf(work))].map(([name, sum]) => `${sum}  ${name}\n`).join('');
  await writeFile(join(work, 'SHA256SUMS'), sums);
  if (signer !== undefined) await writeFile(join(work, 'SHA256SUMS.sig'), signer.sign(sums));
}
