import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import type { MariadbPrograms } from './mariadb-programs.ts';

/** Increment this when the directory's content changes for the same programs. */
const RECIPE_VERSION = '1';
/**
 * The size of the log, for installation and server: if they differ, the server re-creates the log. With the default,
 * 96 MB would be copied for each server.
 */
export const LOG_SIZE = '--innodb-log-file-size=16M';

/** The server never syncs its files: a kill loses nothing, only a machine failure does. */
export const NO_SYNC = '--debug-no-sync';

/** The data directory of a new server, created once, since that takes longer than the server's start. */
export async function installedData(programs: MariadbPrograms): Promise<string> {
  return await cached('mariadb-data', [RECIPE_VERSION, programs.base, LOG_SIZE], async (directory) => {
    await using work = await privateDirectory('mariadb-data');
    await install(programs, join(directory, 'data'), work.path, [LOG_SIZE]);
  });
}

/** Creates a data directory with a root account without a password. */
export async function install(
  programs: MariadbPrograms,
  data: string,
  temporary: string,
  more: readonly string[] = [],
): Promise<void> {
  // A private directory, because a starting MariaDB removes all #sql files in its TMPDIR, including those of another
  // one.
  const env = { PATH: process.env['PATH'], TMPDIR: temporary, ...programs.env };
  const args = [...serverIdentity(programs, data), '--auth-root-authentication-method=normal', '--skip-test-db'];
  await must(programs.installDb, [...args, ...more], { env, cwd: temporary });
}

/** A writable copy. */
export async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o750 });
  await must('cp', ['-a', '--reflink=auto', `${from}/data/.`, to]);
}

/** Program, data directory and user. @param defaults an option file, if there is one */
export function serverIdentity(
  { base }: MariadbPrograms,
  data: string,
  defaults: readonly string[] = ['--no-defaults'],
): string[] {
  // If root starts it, MariaDB requires an explicit user.
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  return [...defaults, `--basedir=${base}`, `--datadir=${data}`, ...asRoot];
}
