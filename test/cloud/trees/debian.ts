import { chmod, glob, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../../../tools/cache.ts';
import { unpackedPackages } from '../../../tools/debian.ts';
import { must } from '../../../tools/process.ts';
import { BASE_PACKAGES, trustDebiansAuthorities } from '../../cluster/keystone-image.ts';
import { inTree } from './in-tree.ts';

/** Python, and programs that the services call: Cinder and Glance inspect images by qemu-img. */
const PACKAGES = [
  ...BASE_PACKAGES,
  'ca-certificates',
  'curl',
  'findutils',
  'gawk',
  'iproute2',
  'libstdc++6',
  'openssl',
  'procps',
  'python3',
  'qemu-utils',
  'tzdata',
  'util-linux',
];
/** Not needed by services: documentation, other languages, and what a booted system needs. */
export const UNUSED_FILES: readonly string[] = [
  'usr/share/{bash-completion,doc,doc-base,icons,info,lintian,locale,man,perl,perl5,pixmaps}',
  'usr/share/zoneinfo/{posix,right}',
  'usr/lib/*-linux-gnu/{perl,perl-base,perl5,gconv}',
  'usr/lib/{systemd,udev}',
  'usr/bin/{perl*,dbus-*}',
  'usr/lib/python3*/{test,lib2to3,idlelib,tkinter,ensurepip,pydoc_data}',
];
const RECIPE_VERSION = '1';

/** The root file system below all services of OpenStack. Cached. */
export async function debianTree(): Promise<string> {
  const trees = [
    await unpackedPackages('cloud-packages', PACKAGES),
    // The files that nova-novncproxy serves. The dependencies of the package are a proxy for another Python.
    await unpackedPackages('cloud-novnc', ['novnc'], { dependencies: false }),
  ];
  return await cached(
    'cloud-debian',
    [RECIPE_VERSION, ...trees.map((tree) => basename(tree)), ...UNUSED_FILES],
    async (root) => {
      for (const tree of trees) await must('cp', ['-al', '--remove-destination', `${tree}/.`, root]);
      for await (const path of glob(UNUSED_FILES, { cwd: root }))
        await rm(join(root, path), { recursive: true, force: true });
      await must('ln', ['-sf', 'gawk', join(root, 'usr/bin/awk')]);
      await trustDebiansAuthorities(root);
      await chmod(root, 0o755);
      const library = `/usr/lib/${await pythonOf(root)}`;
      const binds = [{ from: join(root, library), to: library }];
      await inTree(root, ['python3', ...COMPILE, library], { binds });
    },
  );
}

/** `python3.11`, the name of its library's directory. */
export async function pythonOf(tree: string): Promise<string> {
  const names = (await readdir(join(tree, 'usr/lib'))).filter((name) => /^python3\.\d+$/.test(name));
  if (names.length !== 1) throw new Error(`${tree}/usr/lib has ${names.join(', ') || 'no python3'}`);
  return names[0] ?? '';
}

/** Stores bytecode, since a read-only root cannot. Timestamps are not compared, because those of a layer differ. */
export const COMPILE: readonly string[] = [
  '-m',
  'compileall',
  '-q',
  '-j',
  '0',
  '--invalidation-mode',
  'unchecked-hash',
];
