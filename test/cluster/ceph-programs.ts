/** Ceph's programs: Debian's packages of this machine's release, unpacked; they run on the machine's own libc. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import type { Capability } from '../../tools/capability.ts';
import { libraryDirectories, unpackedPackages } from '../../tools/debian.ts';
import { must } from '../../tools/process.ts';

const PACKAGES = ['ceph-mon', 'ceph-mgr', 'ceph-osd', 'ceph-common'];
const COMMANDS = ['ceph', 'rbd', 'monmaptool', 'ceph-mon', 'ceph-mgr', 'ceph-osd'];
/** What ceph-mgr imports before any module. With all modules it takes a minute to start, and 280 MB. */
const MANAGER = ['mgr_module.py', 'mgr_util.py'];
const RECIPE_VERSION = '1';

export interface CephPrograms {
  /** A directory for PATH, with `ceph`, `rbd`, `ceph-mon` and so on. */
  readonly bin: string;
  /** Options of the servers' configuration: where their plugins are. */
  readonly options: Readonly<Record<string, string>>;
}

/** Tested by downloading, unpacking and starting them. */
export const canRunCeph: Capability = async () => {
  try {
    const { bin } = await cephPrograms();
    await must(join(bin, 'ceph-osd'), ['--version']);
    await must(join(bin, 'ceph'), ['--version']);
    return undefined;
  } catch (error) {
    return `no Ceph: ${messageOf(error)}`;
  }
};

/** Downloads and unpacks them, unless they are cached: 480 MB. */
export async function cephPrograms(): Promise<CephPrograms> {
  const tree = await unpackedPackages('ceph', PACKAGES, { except: ['libc6'] });
  const usr = join(tree, 'usr');
  const [libraries = ''] = await libraryDirectories(usr);
  const own = await cached('ceph-programs', [RECIPE_VERSION, tree, ...COMMANDS, ...MANAGER], async (directory) => {
    await mkdir(join(directory, 'bin'));
    await mkdir(join(directory, 'modules'));
    for (const name of MANAGER) await symlink(join(usr, 'share/ceph/mgr', name), join(directory, 'modules', name));
    // Each sets its own environment: a shell that runs commands of a page must not load these libraries.
    const env = `LD_LIBRARY_PATH=${libraries}:${libraries}/ceph PYTHONHOME=${usr}`;
    for (const name of COMMANDS) {
      const start = name === 'ceph' ? `${usr}/bin/python3 ${usr}/bin/ceph` : `${usr}/bin/${name}`;
      await writeFile(join(directory, 'bin', name), `#!/bin/sh\n${env} exec ${start} "$@"\n`, { mode: 0o755 });
    }
  });
  return {
    bin: join(own, 'bin'),
    options: {
      'plugin dir': join(libraries, 'ceph'),
      'erasure code dir': join(libraries, 'ceph/erasure-code'),
      'osd class dir': join(libraries, 'rados-classes'),
      'mgr module path': join(own, 'modules'),
    },
  };
}
