import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../tools/cache.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { start, tailOf, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import type { GaleraPrograms } from './galera-programs.ts';
import { install, NO_SYNC, serverIdentity } from './mariadb-data.ts';

/** Increment this when the directory's content changes for the same programs. */
const RECIPE_VERSION = '2';

/**
 * The data directory of a newly bootstrapped cluster, created once. Nodes that start with copies of it have the same
 * position, so joining needs only a small incremental transfer.
 */
export async function foundedData(programs: GaleraPrograms): Promise<string> {
  return await cached('galera-data', [RECIPE_VERSION, programs.base], async (directory) => {
    await using work = await privateDirectory('galera-data');
    const at = (name: string) => join(work.path, name);
    const env = { ...programs.env, TMPDIR: work.path };
    const identity = serverIdentity(programs, at('data'));
    await install(programs, at('data'), work.path);
    const args = [...identity, `--log-error=${at('error.log')}`, '--skip-networking'];
    const founding = [...galeraRules(programs), '--wsrep-new-cluster', '--wsrep-cluster-address=gcomm://'];
    const loopback =
      '--wsrep-provider-options=base_host=127.0.0.1;gmcast.listen_addr=tcp://127.0.0.1:0;pc.recovery=false';
    const server = [...args, ...founding, loopback, `--socket=${at('s')}`, `--pid-file=${at('pid')}`];
    await using running = await start(...tied(programs.server, server), {
      cwd: work.path,
      env,
      logFile: at('out.log'),
    });
    let ended: number | undefined;
    void running.ended.then((code) => (ended = code));
    await until('the first node to be ready', async () => {
      const log = tailOf(at('error.log'), 100_000);
      if (ended !== undefined)
        throw new Error(`the first node exited with ${ended}: ${tailOf(at('out.log'))}${log.slice(-2000)}`);
      // Galera says these words earlier, and a server that is stopped between the two hangs.
      return /mariadbd: ready for connections/.test(log) ? true : undefined;
    });
    await running.stop();
    await cp(at('data'), join(directory, 'data'), { recursive: true });
    await Promise.all(
      ['galera.cache', 'gvwstate.dat'].map((name) => rm(join(directory, 'data', name), { force: true })),
    );
  });
}

/** Options of every node. The data directory must be created with them too, because the size of its log must match. */
export function galeraRules({ provider }: GaleraPrograms): string[] {
  return [
    '--wsrep-on=ON',
    `--wsrep-provider=${provider}`,
    '--binlog-format=ROW',
    '--default-storage-engine=InnoDB',
    '--innodb-autoinc-lock-mode=2',
    '--innodb-flush-log-at-trx-commit=2',
    NO_SYNC,
    '--innodb-buffer-pool-size=32M',
    '--innodb-log-file-size=16M',
    '--innodb-use-native-aio=0',
    '--character-set-server=utf8mb4',
    '--skip-name-resolve',
  ];
}
