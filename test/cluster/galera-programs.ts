import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { suitePrograms } from '../../tools/debian-programs.ts';
import { mariadbPrograms, type MariadbPrograms } from './mariadb-programs.ts';
import { galeraVersion, mariadbSource, type GaleraVersion } from './server-versions.ts';

/** The programs of MariaDB, and those for Galera. */
export interface GaleraPrograms extends MariadbPrograms {
  /** The path of libgalera_smm.so. */
  readonly provider: string;
  readonly version: GaleraVersion;
}

/** A separate directory, because the server puts its own bin directory first on the PATH, before our rsync. */
const TRANSFER_PACKAGES = ['rsync', 'lsof'];

/** Debian's packages. Maven's build of MariaDB has no Galera library. Rejects with apt's error. */
export async function galeraPrograms(version: GaleraVersion = galeraVersion()): Promise<GaleraPrograms> {
  const { suite, scripts: packages } = mariadbSource(version);
  const { base, ...programs } = await mariadbPrograms(version);
  const transfer = join(await suitePrograms('galera-transfer', TRANSFER_PACKAGES, suite), 'usr');
  const scripts = join(await unpackedPackages('galera-scripts', packages, { dependencies: false, suite }), 'usr');
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
    version,
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
