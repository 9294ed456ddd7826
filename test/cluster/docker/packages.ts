import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedPackages } from '../../../tools/debian.ts';

const PACKAGES = ['docker.io', 'containerd', 'runc', 'iproute2'];
/** The programs run on this machine's own libc; only the configuration of packages needs debconf and perl. */
const NOT_NEEDED = ['libc6', 'debconf', 'perl-base'];
/** Normally created by Debian's alternatives; dockerd needs iptables even if it must not use it. */
const IPTABLES = ['iptables', 'ip6tables'];
const MULTIARCH: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/**
 * The engine's programs from Debian, unpacked and not installed: their environment, PATH first.
 * @param directory private to the engine; `bin/` is created in it
 */
export async function dockerPackages(directory: string): Promise<NodeJS.ProcessEnv> {
  const unpacked = await unpackedPackages('docker-packages', PACKAGES, { except: NOT_NEEDED });
  const bin = join(directory, 'bin');
  await mkdir(bin);
  for (const name of IPTABLES) await symlink(join(unpacked, 'usr/sbin/xtables-nft-multi'), join(bin, name));
  const path = [bin, join(unpacked, 'usr/bin'), join(unpacked, 'usr/sbin'), process.env['PATH'], '/usr/sbin:/sbin'];
  const libraries = join(unpacked, 'usr/lib', MULTIARCH[process.arch] ?? '');
  const search = { LD_LIBRARY_PATH: libraries, XTABLES_LIBDIR: join(libraries, 'xtables') };
  return { PATH: path.join(':'), HOME: directory, ...search };
}
