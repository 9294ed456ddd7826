import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import type { MariadbPrograms } from './mariadb-programs.ts';

/** Changes when what lies in the directory changes for the same programs. */
const RECIPE_VERSION = '1';
/** Of the log as it is installed and as the server wants it: a server with another wish re-creates it. The usual 96 MB would be copied each time. */
export const LOG_SIZE = '--innodb-log-file-size=16M';

/** It never waits for the disk: one that is killed loses nothing by that, only one whose machine fails. */
export const NO_SYNC = '--debug-no-sync';

/** The data directory of a server that never ran, made once: to make it takes longer than the server's start. */
export async function installedData(programs: MariadbPrograms): Promise<string> {
  return await cached('mariadb-data', [RECIPE_VERSION, programs.base, LOG_SIZE], async (directory) => {
    await using work = await privateDirectory('mariadb-data');
    await install(programs, join(directory, 'data'), work.path, [LOG_SIZE]);
  });
}

/** Makes a data directory whose root account has no password yet. */
export async function install(
  programs: MariadbPrograms,
  data: string,
  temporary: string,
  more: readonly string[] = [],
): Promise<void> {
  // Of its own: a MariaDB that starts removes every #sql file in its TMPDIR, also another's.
  const env = { PATH: process.env['PATH'], TMPDIR: temporary, ...programs.env };
  const args = [...serverIdentity(programs, data), '--auth-root-authentication-method=normal', '--skip-test-db'];
  await must(programs.installDb, [...args, ...more], { env, cwd: temporary });
}

/** A copy that a server may write into. */
export async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o750 });
  await must('cp', ['-a', '--reflink=auto', `${from}/data/.`, to]);
}

/** Which programs, which data, and as whom. */
export function serverIdentity({ base }: MariadbPrograms, data: string): string[] {
  // As root it wants to be told to stay root.
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  return ['--no-defaults', `--basedir=${base}`, `--datadir=${data}`, ...asRoot];
}
