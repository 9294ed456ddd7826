import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { libraryDirectories, type MariadbPrograms } from './mariadb-programs.ts';

/** The programs of MariaDB, and those for Galera. */
export interface GaleraPrograms extends MariadbPrograms {
  /** The path of libgalera_smm.so. */
  readonly provider: string;
}

const PACKAGES = ['mariadb-server-core', 'mariadb-client-core', 'galera-4'];
/** A separate directory, because the server puts its own bin directory first on the PATH, before our rsync. */
const TRANSFER_PACKAGES = ['rsync', 'lsof'];
/** The scripts for the transfer are in a package that depends on all of Perl. */
const SCRIPT_PACKAGE = 'mariadb-server';

/** Debian's packages. Maven's build of MariaDB has no Galera library. Rejects with apt's error. */
export async function galeraPrograms(): Promise<GaleraPrograms> {
  const except = ['libc6'];
  const base = join(await unpackedPackages('galera', PACKAGES, { except }), 'usr');
  const transfer = join(await unpackedPackages('galera-transfer', TRANSFER_PACKAGES, { except }), 'usr');
  const scripts = join(await unpackedPackages('galera-scripts', [SCRIPT_PACKAGE], { dependencies: false }), 'usr');
  const directories = [
    ...(await rsyncAsRoot(transfer)),
    join(transfer, 'bin'),
    join(scripts, 'bin'),
    join(base, 'bin'),
  ];
  const libraries = await Promise.all([base, transfer].map(libraryDirectories));
  return {
    server: join(base, 'sbin/mariadbd'),
    installDb: join(base, 'bin/mariadb-install-db'),
    base,
    env: { LD_LIBRARY_PATH: libraries.flat().join(':'), PATH: [...directories, process.env['PATH']].join(':') },
    provider: join(base, 'lib/galera/libgalera_smm.so'),
  };
}

/** If root starts it, rsync would write as an unprivileged user without access: it is configured to stay root. */
async function rsyncAsRoot(transfer: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const rsync = join(transfer, 'bin/rsync');
  const script = `#!/bin/sh\n[ "$1" = --daemon ] && exec ${rsync} "$@" --dparam=uid=0 --dparam=gid=0\nexec ${rsync} "$@"\n`;
  const directory = await cached('galera-rsync', [script], async (into) => {
    await writeFile(join(into, 'rsync'), script, { mode: 0o755 });
  });
  return [directory];
}
