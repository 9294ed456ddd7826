import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { suitePrograms } from '../../tools/debian-programs.ts';
import { mariadbPrograms, type MariadbPrograms } from './mariadb-programs.ts';
import { galeraVersion, MARIADB_VERSIONS, type GaleraVersion } from './server-versions.ts';

/** The programs of MariaDB, and those for Galera. */
export interface GaleraPrograms extends MariadbPrograms {
  /** The path of libgalera_smm.so. */
  readonly provider: string;
  /** Debian's suite that has them. */
  readonly suite: string;
}

/** A separate directory, because the server puts its own bin directory first on the PATH, before our rsync. */
const TRANSFER_PACKAGES = ['rsync', 'lsof'];
/** The scripts for the transfer are in a package that depends on all of Perl. */
const SCRIPT_PACKAGE = 'mariadb-server';

/** Debian's packages. Maven's build of MariaDB has no Galera library. Rejects with apt's error. */
export async function galeraPrograms(version: GaleraVersion = galeraVersion()): Promise<GaleraPrograms> {
  const { suite } = MARIADB_VERSIONS[version];
  const { base, ...programs } = await mariadbPrograms(version);
  const transfer = join(await suitePrograms('galera-transfer', TRANSFER_PACKAGES, suite), 'usr');
  const alone = { dependencies: false, suite };
  const scripts = join(await unpackedPackages('galera-scripts', [SCRIPT_PACKAGE], alone), 'usr');
  const directories = [
    ...(await rsyncAsRoot(transfer)),
    join(transfer, 'bin'),
    join(scripts, 'bin'),
    join(base, 'bin'),
  ];
  return {
    ...programs,
    base,
    env: { ...programs.env, PATH: [...directories, process.env['PATH']].join(':') },
    provider: join(base, 'lib/galera/libgalera_smm.so'),
    suite,
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
