import { chmod, copyFile, glob, lstat, mkdir, readFile, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isThere } from '../../src/fs/access.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { cached } from '../../tools/cache.ts';
import type { Target } from '../base.ts';

/** Packages of the shared libraries. */
const PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1'] as const;

/**
 * The packages' files in the image: the loader, the binary's libraries, those that glibc loads for name lookups, and
 * the licences.
 */
const KEPT = [
  'usr/lib{,64}/ld-linux*',
  'usr/lib/*/ld-linux*',
  'usr/lib/*/lib{c,dl,m,pthread,rt,resolv,nss_dns,nss_files,gcc_s,stdc++}.so.*',
  'usr/share/doc/*/copyright',
  'usr/share/doc/lib*',
];
/** Texts to which the licences in KEPT refer. */
const COMMON_LICENCES = ['usr/share/common-licenses/*'];
const RECIPE_VERSION = '2';

/** The architecture in the spelling of images. */
export const IMAGE_ARCH = { x64: 'amd64', arm64: 'arm64' } as const;

/** The packages of the base, unpacked; for another architecture also those needed to run its programs here. Cached. */
export async function libraryPackages(arch: Target['arch']): Promise<string> {
  const name = `image-libc-${IMAGE_ARCH[arch]}`;
  return await unpackedPackages(name, PACKAGES, arch === process.arch ? {} : { architecture: IMAGE_ARCH[arch] });
}

/** A root file system with glibc and libstdc++ only: no shell, no package manager. Cached. */
export async function glibcRootfs(arch: Target['arch']): Promise<string> {
  const from = await libraryPackages(arch);
  // Only texts, so this machine's packages suffice.
  const texts = await unpackedPackages('image-licences', ['base-files'], { dependencies: false });
  const madeFrom = [RECIPE_VERSION, basename(from), basename(texts), ...KEPT, ...COMMON_LICENCES];
  return await cached(`image-base-${IMAGE_ARCH[arch]}`, madeFrom, async (root) => {
    await copyMatching(from, KEPT, root);
    await copyMatching(texts, COMMON_LICENCES, root);
    for (const name of ['lib', 'lib64'])
      if (isThere(join(root, 'usr', name))) await symlink(`usr/${name}`, join(root, name));
    await chmod(root, 0o755);
  });
}

async function copyMatching(from: string, patterns: readonly string[], root: string): Promise<void> {
  for await (const path of glob([...patterns], { cwd: from })) {
    const found = await lstat(join(from, path));
    if (found.isDirectory()) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    if (found.isSymbolicLink()) await symlink(await readlink(join(from, path)), join(root, path));
    else await copyFile(join(from, path), join(root, path));
  }
}

/** A distribution package that is in an image. */
export interface BasePackage {
  readonly name: string;
  readonly version: string;
  /** `debian`, and its release. */
  readonly distribution: string;
  readonly release: string;
}

/** The distribution packages in the base, from their own changelogs. */
export async function basePackages(arch: Target['arch']): Promise<BasePackage[]> {
  const from = await libraryPackages(arch);
  const { ID: distribution = 'debian', VERSION_ID: release = '' } = await osRelease();
  return await Promise.all(
    PACKAGES.map(async (name) => {
      const text = gunzipSync(await readFile(join(from, 'usr/share/doc', name, 'changelog.Debian.gz'))).toString();
      const version = /^\S+ \((?<version>\S+)\)/.exec(text)?.groups?.['version'];
      if (version === undefined) throw new Error(`the changelog of ${name} does not begin with its version`);
      return { name, version, distribution, release };
    }),
  );
}

async function osRelease(): Promise<Record<string, string>> {
  const text = await readFile('/etc/os-release', 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map(([, key = '', value = '']) => [key, value]),
  );
}
