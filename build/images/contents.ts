import { binaryOf, CORE_NAMES } from '../../src/toolbox/install/core-names.ts';
import { layoutOf, PLACE } from '../../src/toolbox/install/place-names.ts';
import { layerOfDirectory, type Layer } from '../../tools/image.ts';
import { tarOf, type TarEntry } from '../../tools/tar.ts';
import { NAMES } from '../names.ts';
import { glibcRootfs } from './base.ts';
import type { Target } from '../base.ts';

/** User id of the runnable image: neither a service's nor nobody's, which other processes may share. */
export const UID = 65_532;

export const KINDS = ['scratch', 'install', 'core', 'operator'] as const;
export type Kind = (typeof KINDS)[number];

/** Documents shipped next to the binary. */
export interface Papers {
  readonly licences: string;
  readonly sbom: string;
}

/** The binaries by file name. The image `core` has no kolla-pod. */
export type Binaries = Readonly<Partial<Record<'kolla-pod' | 'kolla-core', Uint8Array>>>;

/**
 * The layers of an image, bottom to top, without those of operator.ts. The base's own layer changes only with Debian's
 * packages.
 */
export async function layersOf(kind: Kind, arch: Target['arch'], binaries: Binaries, papers: Papers): Promise<Layer[]> {
  const files = filesOf(kind, binaries, papers);
  if (kind === 'scratch' || kind === 'core') return [tarOf(files)];
  const base = layerOfDirectory(await glibcRootfs(arch), ['--owner=0', '--group=0', '--mode=u=rwX,go=rX']);
  return [base, tarOf([...files, ...runnableEntries()])];
}

/** Our files, at the paths of `kolla-pod install`: for `COPY --from`, and for use as an image volume without a copy. */
function filesOf(kind: Kind, binaries: Binaries, papers: Papers): TarEntry[] {
  const links = layoutOf(kind === 'core' ? CORE_NAMES : NAMES, true);
  return [
    { name: 'opt/', mode: 0o755 },
    { name: directoryAt(''), mode: 0o755 },
    ...Object.entries(binaries).map(([name, content]) => ({ name: directoryAt(name), mode: 0o755, content })),
    ...Object.keys(links).map((directory) => ({ name: directoryAt(`${directory}/`), mode: 0o755 })),
    ...Object.entries(links).flatMap(([directory, names]) =>
      Object.keys(names)
        .toSorted()
        .map((name) => ({ name: directoryAt(`${directory}/${name}`), mode: 0o777, link: names[name]! })),
    ),
    { name: directoryAt('share/'), mode: 0o755 },
    ...paperEntries(papers),
  ];
}

export function paperEntries({ licences, sbom }: Papers): TarEntry[] {
  return [
    { name: directoryAt('share/LICENSES'), mode: 0o644, content: licences },
    { name: directoryAt('share/sbom.cdx.json'), mode: 0o644, content: sbom },
  ];
}

function directoryAt(path: string): string {
  return `${PLACE.slice(1)}/${path}`;
}

/**
 * The other files of the runnable image. A volume is mounted over /opt/kolla-pod, so the binaries and commands are in
 * /usr/local/bin too.
 */
function runnableEntries(): TarEntry[] {
  const links = NAMES.filter((name) => name !== 'kolla-pod').toSorted();
  return [
    { name: 'etc/', mode: 0o755 },
    { name: 'etc/passwd', mode: 0o644, content: passwd() },
    { name: 'etc/group', mode: 0o644, content: `root:x:0:\nkolla-pod:x:${UID}:\n` },
    { name: 'etc/nsswitch.conf', mode: 0o644, content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
    { name: 'tmp/', mode: 0o1777 },
    { name: 'usr/local/', mode: 0o755 },
    { name: 'usr/local/bin/', mode: 0o755 },
    ...['kolla-pod', 'kolla-core'].map((name) => ({
      name: `usr/local/bin/${name}`,
      mode: 0o755,
      sameAs: directoryAt(name),
    })),
    ...links.map((name) => ({ name: `usr/local/bin/${name}`, mode: 0o777, link: binaryOf(name, true) })),
  ];
}

function passwd(): string {
  return `root:x:0:0:root:/:/nonexistent\nkolla-pod:x:${UID}:${UID}::/tmp:/nonexistent\n`;
}

const DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  scratch: 'the kolla-pod binary and its names, for COPY --from and for image volumes; it does not run by itself',
  install: 'kolla-pod on glibc alone, without root: fills a shared volume, and runs every helper',
  core: `kolla-core, a static binary, and its names alone, for COPY --from: ${CORE_NAMES.join(', ')}`,
  operator: 'kolla-operator on glibc alone, without root, with Helm and the charts of this version',
};

/** The labels that registries and viewers display. */
export function labelsOf(kind: Kind, version: string): Readonly<Record<string, string>> {
  return {
    'org.opencontainers.image.title': `kolla-pod ${kind}`,
    'org.opencontainers.image.description': DESCRIPTIONS[kind],
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  };
}
