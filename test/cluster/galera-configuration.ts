import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suitePrograms } from '../../tools/debian-programs.ts';
import type { GaleraPrograms } from './galera-programs.ts';
import { mariadbSource } from './server-versions.ts';

/**
 * A my.cnf with which all nodes start, such as a chart's. Its paths, ports and addresses are replaced by each node's
 * own.
 */
export interface GaleraConfiguration {
  /** Arguments for the server's command line instead of `--no-defaults`. */
  readonly args: readonly string[];
  /** The `wsrep_provider_options` of the file, which the nodes' own options would replace. */
  readonly provider: readonly string[];
}

/** Writes the my.cnf into a directory. */
export async function configurationIn(directory: string, text: string): Promise<GaleraConfiguration> {
  const file = join(directory, 'my.cnf');
  await writeFile(file, text.replace(/^innodb_buffer_pool_size = .*$/m, 'innodb_buffer_pool_size = 32M'));
  const [, provider = ''] = /^wsrep_provider_options = "(.*)"$/m.exec(text) ?? [];
  // Only socket options are kept: the tests set timing and cache sizes.
  const kept = provider.split(';').filter((option) => option.startsWith('socket.'));
  return { args: [`--defaults-file=${file}`], provider: kept };
}

/** The programs with mariabackup and its transfer tools added, but nothing else of mariabackup's packages. */
export async function withMariabackup(programs: GaleraPrograms, directory: string): Promise<GaleraPrograms> {
  const { suite, backup } = mariadbSource(programs.version);
  const tree = join(await suitePrograms('galera-backup', backup, suite), 'usr');
  const bin = join(directory, 'transfer');
  await mkdir(bin);
  for (const name of ['mariadb-backup', 'mariabackup', 'mbstream', 'socat'])
    await symlink(join(tree, 'bin', name), join(bin, name));
  return { ...programs, env: { ...programs.env, PATH: `${bin}:${programs.env['PATH']}` } };
}
