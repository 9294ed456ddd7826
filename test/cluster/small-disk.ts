import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { must } from '../../tools/process.ts';
import type { Mariadb, MariadbOptions } from './mariadb.ts';

const IN_A_VIEW = ['--mount', '--propagation', 'private'];

/** Tested by mounting one in a separate mount namespace. */
export const canHaveSmallDisk: Capability = async () => {
  try {
    await must('unshare', [...IN_A_VIEW, 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', '/tmp']);
    return undefined;
  } catch (error) {
    return `no separate disk can be mounted here: ${messageOf(error)}`;
  }
};

/** A server with its data on a small disk, invisible to other processes; after a restart it has its initial data. */
export function onSmallDisk(sizeMb: number): Pick<MariadbOptions, 'launcher' | 'extraArgs'> {
  return {
    extraArgs: ['--innodb-log-file-size=16M'],
    launcher: (command, args) => {
      const data = args.find((word) => word.startsWith('--datadir='))?.slice('--datadir='.length) ?? '';
      const script = `mkdir -p "$0.disk" && mount -t tmpfs -o size=${sizeMb}m none "$0.disk" && cp -a "$0/." "$0.disk" &&
        mount --bind "$0.disk" "$0" && exec "$@"`;
      return ['unshare', [...IN_A_VIEW, 'sh', '-c', script, data, command, ...args]];
    },
  };
}

/** Fills the disk of the server, leaving that much free. */
export async function fillDisk(mariadb: Mariadb, leftKb: number): Promise<void> {
  const file = fillerOf(mariadb);
  const script = `dd if=/dev/zero of="$0" bs=64k 2>/dev/null; [ -s "$0" ] && truncate -s -${leftKb}K "$0"`;
  await must('sh', ['-c', script, file]);
}

export async function emptyDisk(mariadb: Mariadb): Promise<void> {
  await must('rm', [fillerOf(mariadb)]);
}

/** The directory of the server, in its own mount namespace. */
function fillerOf({ pid, directory }: Mariadb): string {
  return `/proc/${pid}/root${directory}/data/filler`;
}
