import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedPackages } from '../../../tools/debian.ts';
import { componentEnv } from './control-plane.ts';

const PACKAGES = ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'ipset', 'iproute2'];
/** The programs run on this machine's libc; only package configuration needs debconf and perl. */
const NOT_NEEDED = ['libc6', 'debconf', 'perl-base'];
/** Names of xtables-nft-multi used by kube-proxy, normally created by Debian's alternatives. */
const IPTABLES = ['iptables', 'ip6tables'].flatMap((name) => [name, `${name}-save`, `${name}-restore`]);

const MULTIARCH: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** Programs of the node other than Kubernetes, from Debian, unpacked and not installed. */
export interface NodePackages {
  /** PATH with them, and the path of their libraries. */
  readonly env: NodeJS.ProcessEnv;
  /** The directory of the CNI plugins. */
  readonly cni: string;
}

/**
 * @param directory private to the node; `bin/` and `tmp/` are created in it
 * @param first directories of programs that replace Debian's
 */
export async function nodePackages(directory: string, first: readonly string[] = []): Promise<NodePackages> {
  const unpacked = await unpackedPackages('node-packages', PACKAGES, { except: NOT_NEEDED });
  const bin = join(directory, 'bin');
  await mkdir(bin);
  // containerd stores the input of each exec for runc there, and leaves it if the node exits meanwhile.
  const temporary = join(directory, 'tmp');
  await mkdir(temporary);
  for (const name of IPTABLES) await symlink(join(unpacked, 'usr/sbin/xtables-nft-multi'), join(bin, name));
  const env = componentEnv(directory);
  const path = [bin, ...first, join(unpacked, 'usr/bin'), join(unpacked, 'usr/sbin'), env['PATH'], '/usr/sbin:/sbin'];
  const libraries = join(unpacked, 'usr/lib', MULTIARCH[process.arch] ?? '');
  const search = { LD_LIBRARY_PATH: libraries, XTABLES_LIBDIR: join(libraries, 'xtables') };
  return {
    env: { ...env, PATH: path.join(':'), TMPDIR: temporary, ...search },
    cni: join(unpacked, 'usr/lib/cni'),
  };
}
