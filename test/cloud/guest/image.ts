/**
 * A guest that boots in seconds also without hardware virtualization, from Debian's packages:
 *
 *   kernel for clouds                                  -> vmlinuz
 *   static BusyBox, a few modules, guest-init.sh       -> initrd.gz
 *   both in a FAT file system with syslinux            -> disk.raw, which a BIOS boots
 *
 * Nova can boot the disk, or the kernel and the initrd as two more images.
 */
import { chmod, copyFile, glob, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from '../../../tools/cache.ts';
import { unpackedPackages } from '../../../tools/debian.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { debianTree } from '../trees/debian.ts';
import { inTree } from '../trees/in-tree.ts';

const INIT = fileURLToPath(new URL('guest-init.sh', import.meta.url));
const KERNEL_PACKAGES = ['busybox-static', 'linux-image-cloud-amd64'];
const TOOL_PACKAGES = ['cpio', 'dosfstools', 'gzip', 'mtools', 'syslinux', 'syslinux-common'];

/** In the order of what they need. A module that is missing is built into the kernel. */
const MODULES = [
  'failover',
  'net_failover',
  'virtio_ring',
  'virtio',
  'virtio_pci_legacy_dev',
  'virtio_pci_modern_dev',
  'virtio_pci',
  'virtio_net',
  'virtio_blk',
  'virtio_balloon',
  'virtio-rng',
  'scsi_common',
  'scsi_mod',
  'cdrom',
  'sr_mod',
  'isofs',
  'button',
  'evdev',
];
const EMPTY = ['bin', 'dev', 'etc', 'lib/modules', 'mnt', 'proc', 'sys', 'tmp', 'www'];
const SYSLINUX = `SERIAL 0 115200
DEFAULT linux
LABEL linux
  KERNEL vmlinuz
  INITRD initrd.gz
  APPEND console=ttyS0 no_timer_check quiet
`;

/** In the tools' tree; /build/root becomes the initrd. syslinux writes into the file, so no device or mount is needed. */
const PACK = `
cd /build/root
find . | sort | cpio --create --format=newc --quiet --owner=0:0 --reproducible | gzip -9 --no-name > /build/out/initrd.gz
cd /build/out
truncate --size=32M disk.raw
mkfs.vfat -F 16 -n GUEST --invariant disk.raw
printf %s "$SYSLINUX" > /build/syslinux.cfg
mcopy -i disk.raw vmlinuz initrd.gz /build/syslinux.cfg ::
syslinux --install disk.raw
`;
const RECIPE_VERSION = '2';

/** A directory with vmlinuz, initrd.gz and disk.raw. Cached. */
export async function guestImage(): Promise<string> {
  const kernel = await unpackedPackages('guest-kernel', KERNEL_PACKAGES);
  const tools = await unpackedPackages('guest-image-tools', TOOL_PACKAGES);
  const trees = [await debianTree(), kernel, tools].map((tree) => basename(tree));
  const madeFrom = [RECIPE_VERSION, ...trees, ...MODULES, SYSLINUX, PACK, await readFile(INIT, 'utf8')];
  return await cached('guest-image', madeFrom, async (out) => {
    await using work = await privateDirectory('guest');
    const root = join(work.path, 'root');
    await fillInitrd(root, kernel);
    await copyFile(await only(kernel, 'boot/vmlinuz-*'), join(out, 'vmlinuz'));
    await chmod(join(out, 'vmlinuz'), 0o644);
    await inTree(`${tools}:${await debianTree()}`, ['sh', '-ec', PACK], {
      binds: [
        { from: work.path, to: '/build' },
        { from: out, to: '/build/out' },
      ],
      env: { SYSLINUX },
    });
    // Pods of any user read it.
    await chmod(out, 0o755);
  });
}

async function fillInitrd(root: string, kernel: string): Promise<void> {
  for (const directory of EMPTY) await mkdir(join(root, directory), { recursive: true });
  await copyFile(await only(kernel, 'usr/bin/busybox'), join(root, 'bin/busybox'));
  await symlink('busybox', join(root, 'bin/sh'));
  await copyFile(INIT, join(root, 'init'));
  await chmod(join(root, 'init'), 0o755);
  for (const [index, module] of MODULES.entries()) {
    const [file] = await Array.fromAsync(glob(`usr/lib/modules/*/kernel/**/${module}.ko`, { cwd: kernel }));
    // The guest loads them by the order of their names.
    const name = `${String(index).padStart(2, '0')}-${module}.ko`;
    if (file !== undefined) await copyFile(join(kernel, file), join(root, 'lib/modules', name));
  }
}

async function only(root: string, pattern: string): Promise<string> {
  const found = await Array.fromAsync(glob(pattern, { cwd: root }));
  if (found.length !== 1) throw new Error(`${root} has ${found.join(', ') || 'no'} ${pattern}`);
  return join(root, found[0] ?? '');
}
