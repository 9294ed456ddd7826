/** Clients of Ceph, which Kolla's images have from packages, as a layer above Debian's tree. */
import { existsSync } from 'node:fs';
import { chmod, glob, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cached } from '../../../tools/cache.ts';
import { unpackedPackages } from '../../../tools/debian.ts';
import { must } from '../../../tools/process.ts';
import { COMPILE, debianTree, pythonOf } from './debian.ts';
import { VENV } from './environment.ts';
import { inTree, runInTree } from './in-tree.ts';

const PACKAGES = ['ceph-common', 'python3-rados', 'python3-rbd', 'qemu-block-extra'];
const MODULES = 'usr/lib/python3/dist-packages';
/** What OpenStack uses of them. Cinder and Nova run `rbd`; Cinder and Glance let qemu-img read images. */
const BINARIES = ['usr/bin/rbd', `${MODULES}/{rados,rbd}.*.so`, 'usr/lib/*/qemu/block-rbd.so'];
/** Cinder and Nova ask `ceph` for the addresses of monitors. */
const SCRIPTS = ['usr/bin/ceph', `${MODULES}/{ceph_argparse,ceph_daemon}.py`, `${MODULES}/{prettytable,wcwidth}*/**`];
const RECIPE_VERSION = '1';

/**
 * `ceph`, `rbd`, the Python modules `rados` and `rbd`, QEMU's driver, and the libraries that Debian's tree lacks for them, 32 MB.
 * Above OpenStack's layer its environment can import the modules. Cached.
 */
export async function cephLayer(): Promise<string> {
  const [debian, packages] = [await debianTree(), await unpackedPackages('ceph-clients', PACKAGES)];
  const madeFrom = [RECIPE_VERSION, basename(debian), basename(packages), ...BINARIES, ...SCRIPTS];
  return await cached('cloud-ceph', madeFrom, async (root) => {
    const binaries = await filesIn(packages, BINARIES);
    const files = [
      ...binaries,
      ...(await filesIn(packages, SCRIPTS)),
      ...(await librariesOf(binaries, packages, debian)),
    ];
    for (const file of files) {
      await mkdir(join(root, dirname(file)), { recursive: true });
      await must('cp', ['-lL', join(packages, file), join(root, file)]);
    }
    // Environments in Kolla's images see the system's modules, too.
    const site = join(root, VENV, 'lib', await pythonOf(debian), 'site-packages');
    await mkdir(site, { recursive: true });
    await writeFile(join(site, 'debian.pth'), `/${MODULES}\n`);
    await inTree(debian, ['python3', ...COMPILE, '/build'], { binds: [{ from: join(root, MODULES), to: '/build' }] });
    await chmod(root, 0o755);
  });
}

async function filesIn(tree: string, patterns: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const pattern of patterns) {
    const entries = await Array.fromAsync(glob(pattern, { cwd: tree, withFileTypes: true }));
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    if (files.length === 0) throw new Error(`the packages ${PACKAGES.join(', ')} have no ${pattern}: ${tree}`);
    found.push(...files.map((file) => file.slice(tree.length + 1)));
  }
  return found;
}

/** The libraries that files of a tree are linked with, by the names that they are looked for, without those of another tree. */
async function librariesOf(files: readonly string[], tree: string, without: string): Promise<string[]> {
  const { code, stdout, stderr } = await runInTree(`${tree}:${without}`, ['ldd', ...files.map((file) => `/${file}`)]);
  if (code !== 0 || stdout.includes('not found'))
    throw new Error(`ldd ended with ${code} in ${tree}: ${stderr}${stdout}`);
  const found = [...stdout.matchAll(/ => \/(?:usr\/)?(\S+) \(/g)].map(([, path = '']) => `usr/${path}`);
  return [...new Set(found)].filter((path) => !existsSync(join(without, path)));
}
