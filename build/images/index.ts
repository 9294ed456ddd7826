/**
 * Builds the images without a container engine or a registry (`node build/images.ts`):
 *
 *   build/make.ts for each architecture -> the binary; for another machine's, its node under qemu-user (arm64.ts)
 *   Debian's glibc and libstdc++ -> base.ts: a root file system without shell or package manager
 *   bundles -> bundled.ts: the npm packages in the binary -> licences.ts, sbom.ts (CycloneDX 1.6)
 *   all of these -> contents.ts: layers -> NAME.tar (docker-archive), NAME.cdx.json, LICENSES, SHA256SUMS in dist/images
 *
 * `scratch` contains only the files, in /opt/kolla-pod, for `COPY --from` and image volumes; without a libc it does not
 * run. `install` contains them too and runs, as uid 65532; `core` contains kolla-core and its commands only; `operator`
 * is `install` with Helm and the charts (operator.ts). Images are reproducible from the same sources, packages and Go.
 */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '../../src/core/version.ts';
import { imageTar, type Image, type Layer } from '../../tools/image.ts';
import { onTarget, type Target } from '../base.ts';
import { checkBinary } from '../check.ts';
import { sha256, sha256Of } from '../digest.ts';
import { buildBinary, type Built } from '../make.ts';
import { IMAGE_ARCH, basePackages } from './base.ts';
import { bundledPackages, corePackages, type BundledPackage } from './bundled.ts';
import { KINDS, UID, labelsOf, layersOf, type Binaries, type Kind, type Papers } from './contents.ts';
import { licencesOf } from './licences.ts';
import { operatorLayer, operatorParts, type OperatorParts } from './operator.ts';
import { sbomOf } from './sbom.ts';

export interface BuiltImage {
  readonly kind: Kind;
  /** The architecture in the spelling of images: `amd64`. */
  readonly architecture: string;
  /** The image's name once loaded. */
  readonly reference: string;
  readonly file: string;
  /** The digest of the image's configuration, which engines use as the image id. */
  readonly id: string;
}

export interface ImageOptions {
  /** Output directory. Existing files with the same names are replaced at the very end. */
  readonly directory: string;
  readonly target: Target;
  /** The name before the tag: `registry.example/team/kolla-pod`. */
  readonly repository: string;
  readonly say: (text: string) => void;
  /** A prebuilt, checked binary for the target; by default the binary is built here. */
  readonly built?: Built;
  /** Default: all. */
  readonly kinds?: readonly Kind[];
}

const exec = promisify(execFile);

const AS_USER = { env: { PATH: '/usr/local/bin' }, user: `${UID}:${UID}` };
/** Runtime configuration of the runnable images. */
const RUNS: Partial<Record<Kind, Pick<Image, 'entrypoint' | 'command' | 'env' | 'user'>>> = {
  install: { ...AS_USER, entrypoint: ['/usr/local/bin/kolla-pod'], command: ['--help'] },
  operator: { ...AS_USER, entrypoint: ['/usr/local/bin/kolla-operator'] },
};

/**
 * Builds the binaries and the images for one architecture.
 * @throws Error if the binary does not run, or a package states no licence
 */
export async function buildImages({
  directory,
  target,
  repository,
  say,
  kinds = KINDS,
  ...given
}: ImageOptions): Promise<BuiltImage[]> {
  await mkdir(directory, { recursive: true });
  const work = await mkdtemp(join(directory, '.images-'));
  const architecture = IMAGE_ARCH[target.arch];
  try {
    const built = given.built ?? (await checkedBinary(join(work, 'binary'), target, say));
    if (built.base.notStripped !== undefined) say(`node is not stripped: ${built.base.notStripped}`);
    const whole = await contentsOf(built);
    const images: BuiltImage[] = [];
    for (const kind of kinds) {
      say(`writing ${nameOf(kind, architecture)}.tar`);
      images.push(await writeImage(kind, work, repository, whole, await contentsFor(kind, whole, built)));
    }
    const licences = `kolla-pod-${architecture}.LICENSES`;
    await writeFile(join(work, licences), whole.licences);
    const archives = kinds.flatMap((kind) => ['tar', 'cdx.json'].map((end) => `${nameOf(kind, architecture)}.${end}`));
    const files = [...archives, licences];
    const sums = await Promise.all(files.map(async (name) => `${await sha256Of(join(work, name))}  ${name}\n`));
    await writeFile(join(work, `SHA256SUMS.${architecture}`), sums.join(''));
    for (const name of [...files, `SHA256SUMS.${architecture}`]) await rename(join(work, name), join(directory, name));
    return images.map((image) => ({ ...image, file: join(directory, basename(image.file)) }));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function checkedBinary(directory: string, target: Target, say: ImageOptions['say']): Promise<Built> {
  const built = await buildBinary(directory, say, undefined, target);
  say('running every name');
  await checkBinary(built);
  return built;
}

/** Contents of an architecture's images. */
interface Contents {
  readonly target: Target;
  readonly binaries: Binaries;
  readonly packages: readonly BundledPackage[];
  /** process.versions of the embedded node. */
  readonly parts: Readonly<Record<string, string>>;
  readonly licences: string;
  readonly operator?: OperatorParts;
}

async function contentsOf(built: Built): Promise<Contents> {
  const { target } = built.base;
  const packages = await bundledPackages(built);
  const { stdout } = await exec(...onTarget(target, target.node, ['-p', 'JSON.stringify(process.versions)']));
  return {
    target,
    binaries: { 'kolla-pod': await readFile(built.binary), 'kolla-core': await readFile(built.core.binary) },
    packages,
    parts: JSON.parse(stdout) as Record<string, string>,
    licences: await licencesOf(packages),
  };
}

/** The contents of the image `core`: no node, and no package that only kolla-pod has. */
async function coreContentsOf({ target, binaries }: Contents, built: Built): Promise<Contents> {
  const packages = await corePackages(built);
  const core = { 'kolla-core': binaries['kolla-core']! };
  return { target, binaries: core, packages, parts: {}, licences: await licencesOf(packages) };
}

/** The contents of the operator's image: those of the runnable one, Helm and the charts. */
async function operatorContentsOf(whole: Contents): Promise<Contents> {
  const operator = await operatorParts(whole.target.arch);
  return { ...whole, operator, licences: await licencesOf([...whole.packages, ...operator.packages]) };
}

async function contentsFor(kind: Kind, whole: Contents, built: Built): Promise<Contents> {
  if (kind === 'core') return await coreContentsOf(whole, built);
  return kind === 'operator' ? await operatorContentsOf(whole) : whole;
}

/** Writes an image's archive and its software bill of materials. */
async function writeImage(
  kind: Kind,
  directory: string,
  repository: string,
  whole: Contents,
  contents: Contents,
): Promise<BuiltImage> {
  const architecture = IMAGE_ARCH[contents.target.arch];
  const name = nameOf(kind, architecture);
  const papers = await papersOf(kind, contents);
  await writeFile(join(directory, `${name}.cdx.json`), papers.sbom);
  const file = join(directory, `${name}.tar`);
  const reference = `${repository}:${VERSION}${kind === 'install' ? '' : `-${kind}`}`;
  const id = await imageTar(file, {
    reference,
    layers: await layersIn(kind, whole, contents, papers),
    labels: labelsOf(kind, VERSION),
    architecture,
    ...RUNS[kind],
  });
  return { kind, architecture, reference, file, id };
}

async function layersIn(kind: Kind, whole: Contents, contents: Contents, papers: Papers): Promise<Layer[]> {
  const { target, binaries, operator } = contents;
  if (operator === undefined) return await layersOf(kind, target.arch, binaries, papers);
  // The same layers as in `install`, so that a node and a registry store them once.
  const below = await layersOf('install', target.arch, binaries, await papersOf('install', whole));
  return [...below, operatorLayer(operator, papers)];
}

async function papersOf(
  kind: Kind,
  { target, binaries, packages, parts, licences, operator }: Contents,
): Promise<Papers> {
  const architecture = IMAGE_ARCH[target.arch];
  const sbom = sbomOf({
    image: nameOf(kind, architecture),
    architecture,
    sums: Object.fromEntries(Object.entries(binaries).map(([one, bytes]) => [one, sha256(bytes)])),
    packages,
    parts,
    base: RUNS[kind] === undefined ? [] : await basePackages(target.arch),
    operator,
  });
  return { licences, sbom };
}

function nameOf(kind: Kind, architecture: string): string {
  return `kolla-pod-${kind}-${architecture}`;
}
