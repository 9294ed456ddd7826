import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedPackages } from '../../tools/debian.ts';
import type { GaleraPrograms } from './galera-programs.ts';
import { libraryDirectories } from './mariadb-programs.ts';

/** A my.cnf that all nodes start with, such as a chart's; its paths, ports and addresses are replaced by each node's own. */
export interface GaleraConfiguration {
  /** On the server's command line, in place of `--no-defaults`. */
  readonly args: readonly string[];
  /** Its `wsrep_provider_options`, which the nodes' own would replace. */
  readonly provider: readonly string[];
}

/** Writes it into a directory. */
export async function configurationIn(directory: string, text: string): Promise<GaleraConfiguration> {
  const file = join(directory, 'my.cnf');
  await writeFile(file, text.replace(/^innodb_buffer_pool_size = .*$/m, 'innodb_buffer_pool_size = 32M'));
  const [, provider = ''] = /^wsrep_provider_options = "(.*)"$/m.exec(text) ?? [];
  // Timing and caches are the tests'.
  const kept = provider.split(';').filter((option) => option.startsWith('socket.'));
  return { args: [`--defaults-file=${file}`], provider: kept };
}

/** The programs with mariabackup and its transfer tools, and no others of its packages. */
export async function withMariabackup(programs: GaleraPrograms, directory: string): Promise<GaleraPrograms> {
  const packages = ['mariadb-backup', 'socat', 'findutils', 'procps', 'mawk', 'iproute2'];
  const tree = join(await unpackedPackages('galera-backup', packages, { except: ['libc6'] }), 'usr');
  const bin = join(directory, 'transfer');
  await mkdir(bin);
  for (const name of ['mariadb-backup', 'mariabackup', 'mbstream', 'socat'])
    await symlink(join(tree, 'bin', name), join(bin, name));
  const libraries = [programs.env['LD_LIBRARY_PATH'], ...(await libraryDirectories(tree))].join(':');
  return { ...programs, env: { ...programs.env, LD_LIBRARY_PATH: libraries, PATH: `${bin}:${programs.env['PATH']}` } };
}
