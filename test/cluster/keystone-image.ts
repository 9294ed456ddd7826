/**
 * The Keystone of keystone.ts as a container image with Kolla's layout, built without a container engine:
 *
 *   Keystone's tree + a shell and libc -> root file system (in the cache)            -> lowest layer
 *   Kolla's users, directories and their owners                                          -> second layer
 *   the kolla-pod binary, and its names where Kolla has its scripts                  -> topmost layer
 *
 * It runs as uid 42425 with a read-only root, no capabilities and no privilege escalation; the service writes only to
 * volumes: /etc/keystone, /var/log/kolla, /tmp. It has no entry point: a pod sets its command.
 */
import { chmod, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NAMES } from '../../build/names.ts';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { imageTar, layerOfDirectory, type Layer } from '../../tools/image.ts';
import { IMAGE_PLUGIN, uwsgiOf } from './keystone.ts';
import { keystoneTree, prune, UNUSED } from './keystone-tree.ts';
import { KEYSTONE_UID, KOLLA_USERS, kollaEntries } from './kolla-layout.ts';
import { tarOf, type TarEntry } from '../../tools/tar.ts';

export { KEYSTONE_UID };

/** Keystone's dependencies include the rest; Debian assumes these as installed, so nothing depends on them. */
export const BASE_PACKAGES = [
  'base-files',
  'bash',
  'coreutils',
  'dash',
  'grep',
  'hostname',
  'libc-bin',
  'libc6',
  'netbase',
  'sed',
];
const RECIPE_VERSION = '1';
const REFERENCE = 'kolla-pod.test/keystone:1';
/** kolla_start sources this file, which is empty in Kolla's base image. */
const EXTEND_START: TarEntry = { name: 'usr/local/bin/kolla_extend_start', mode: 0o644 };

export interface KeystoneImageOptions {
  /** The kolla-pod binary for the image. */
  readonly binary: string;
  readonly reference?: string;
  readonly names?: readonly string[];
}

/** Tested by building its root file system; the rest is writing one file. */
export const canBuildKeystoneImage: Capability = async () => {
  try {
    await keystoneRootfs();
    return undefined;
  } catch (error) {
    return `Keystone's image can't be built here: ${messageOf(error)}`;
  }
};

/**
 * Writes the image as a docker-archive.
 * @returns the name to use in a pod's `image:`
 */
export async function keystoneImage(file: string, options: KeystoneImageOptions): Promise<string> {
  const { reference = REFERENCE } = options;
  await imageTar(file, { reference, layers: await keystoneLayers(options), env: kollaEnv('keystone') });
  return reference;
}

/** All layers, starting with the lowest. Another image may be based on them. */
export async function keystoneLayers({ binary, names = NAMES }: KeystoneImageOptions): Promise<Layer[]> {
  const root = await keystoneRootfs();
  return [
    layerOfDirectory(root, ['--owner=0', '--group=0']),
    tarOf([...kollaEntries(KOLLA_USERS), ...(await uwsgiEntries(root))]),
    tarOf(await binaryEntries(binary, names)),
  ];
}

/** Environment variables as in Kolla's images. */
export function kollaEnv(service: string): Readonly<Record<string, string>> {
  return {
    PATH: '/var/lib/kolla/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    KOLLA_BASE_DISTRO: 'debian',
    KOLLA_SERVICE_NAME: service,
  };
}

/** The root file system of the lowest layer, without our code. All files are owned by the user that runs this. */
export async function keystoneRootfs(): Promise<string> {
  const [tree, base] = [await keystoneTree(), await unpackedPackages('image-base', BASE_PACKAGES)];
  return await cached('keystone-rootfs', [RECIPE_VERSION, basename(tree), basename(base), ...UNUSED], async (root) => {
    // Both are from one release, so a file that both contain is equal.
    for (const from of [tree, base]) await must('cp', ['-al', '--remove-destination', `${from}/.`, root]);
    await prune(root);
    await trustDebiansAuthorities(root);
    // The cache's directory is private, while a container's / is not.
    await chmod(root, 0o755);
  });
}

/** Writes the bundle of Debian's CA certificates, which the maintainer script of ca-certificates normally creates. */
export async function trustDebiansAuthorities(root: string): Promise<void> {
  const bundle = join(root, 'etc/ssl/certs/ca-certificates.crt');
  const files = (await Array.fromAsync(glob('usr/share/ca-certificates/**/*.crt', { cwd: root }))).toSorted(byName);
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  await mkdir(dirname(bundle), { recursive: true });
  await writeFile(bundle, texts.join(''));
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** Links that Debian's alternatives normally create, and the plugin's name for any version of Python. */
async function uwsgiEntries(root: string): Promise<TarEntry[]> {
  const { plugin } = await uwsgiOf(root);
  return [
    { name: 'usr/bin/uwsgi', mode: 0o777, link: 'uwsgi-core' },
    { name: `usr/lib/uwsgi/plugins/${IMAGE_PLUGIN}_plugin.so`, mode: 0o777, link: `${plugin}_plugin.so` },
  ];
}

/**
 * Both binaries and names of theirs.
 * @param binary kolla-pod's, next to kolla-core, which it executes for names that are kolla-core's alone
 */
export async function binaryEntries(binary: string, names: readonly string[]): Promise<TarEntry[]> {
  const links = names.filter((name) => name !== 'kolla-pod');
  const [pod, core] = await Promise.all([readFile(binary), readFile(join(dirname(binary), 'kolla-core'))]);
  return [
    { name: 'usr/local/bin/kolla-pod', mode: 0o755, content: pod },
    { name: 'usr/local/bin/kolla-core', mode: 0o755, content: core },
    ...links.map((name) => ({ name: `usr/local/bin/${name}`, mode: 0o777, link: 'kolla-pod' })),
    EXTEND_START,
  ];
}

/** All names of the binary; without one only the rest, as in an image that Kolla publishes. */
export async function helperEntries(binary: string | undefined): Promise<TarEntry[]> {
  return binary === undefined ? [EXTEND_START] : await binaryEntries(binary, NAMES);
}
