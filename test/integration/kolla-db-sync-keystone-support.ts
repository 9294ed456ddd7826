import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keystone, keystoneConf } from '../cluster/keystone.ts';
import type { Mariadb } from '../cluster/mariadb.ts';
import { databaseName } from '../support/names.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { run, type Finished } from '../../tools/process.ts';
import { beginHelper, type Begun } from './kolla-db-sync-support.ts';

/** A private Keystone: a keystone.conf, its tool on the PATH as in an image, and a database on a shared server. */
export interface KeystoneSite extends AsyncDisposable {
  readonly database: string;
  /** The environment of `kolla-db-sync keystone` and keystone-manage, without an admin and with one. */
  readonly env: NodeJS.ProcessEnv;
  readonly adminEnv: NodeJS.ProcessEnv;
  /** Rewrites keystone.conf with that URL. */
  readonly configure: (change?: { password?: string; host?: string; query?: string }) => Promise<void>;
  /** Runs `kolla-db-sync keystone` with an admin. */
  readonly sync: (...words: readonly string[]) => Promise<Finished>;
  /** Starts the same command and returns while it runs. */
  readonly begin: (...words: readonly string[]) => Promise<Begun>;
  /** The same without an admin. */
  readonly syncAlone: (...words: readonly string[]) => Promise<Finished>;
  /** The exit code of Keystone's own check. */
  readonly check: () => Promise<number>;
  readonly records: () => Promise<Record<string, unknown>[]>;
  /** Number of tables that Keystone has. */
  readonly tables: () => Promise<number>;
}

export async function keystoneSite(
  mariadb: Pick<Mariadb, 'host' | 'port' | 'rootPassword' | 'query'>,
): Promise<KeystoneSite> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('dbsync-keystone')).path;
  const database = databaseName('keystone');
  const { manage } = await keystone();
  const at = (name: string) => join(directory, name);
  await Promise.all(['log', 'keys', 'bin'].map((name) => mkdir(at(name))));
  const configure: KeystoneSite['configure'] = async ({
    password = 'pw-of-keystone',
    host = mariadb.host,
    query = '',
  } = {}) => {
    const connection = `mysql+pymysql://${database}:${password}@${host}:${mariadb.port}/${database}?charset=utf8${query}`;
    await writeFile(at('keystone.conf'), keystoneConf({ connection, keys: at('keys'), logDirectory: at('log') }));
  };
  await configure();
  const { command, args, env } = manage(at('keystone.conf'));
  const words = [command, ...args].map((word) => `'${word}'`).join(' ');
  await writeFile(at('bin/keystone-manage'), `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(at('bin/keystone-manage'), 0o755);
  const ours = {
    ...env,
    PATH: `${at('bin')}:${env['PATH'] ?? process.env['PATH']}`,
    KOLLA_DB_SYNC_SERVICE_CONFIG: at('keystone.conf'),
  };
  const adminEnv = { ...ours, KOLLA_DB_SYNC_ADMIN_USER: 'root', KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword };
  const taken = stack.move();
  return {
    database,
    env: ours,
    adminEnv,
    configure,
    sync: (...more) => runHelper('kolla-db-sync', ['keystone', ...more], { env: adminEnv }),
    begin: (...more) => beginHelper(['keystone', ...more], adminEnv),
    syncAlone: (...more) => runHelper('kolla-db-sync', ['keystone', ...more], { env: ours }),
    check: async () => (await run(at('bin/keystone-manage'), ['db_sync', '--check'], { env: ours })).code,
    async records() {
      const { stdout } = await runHelper('kolla-db-sync', ['status', 'keystone', '-o', 'json'], { env: ours });
      return stdout === '' ? [] : (JSON.parse(stdout) as { records: Record<string, unknown>[] }).records;
    },
    async tables() {
      const [row] = await mariadb.query(
        "SELECT COUNT(*) AS n FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME NOT LIKE 'kolla%'",
        [database],
      );
      return Number(row?.['n']);
    },
    [Symbol.asyncDispose]: () => taken.disposeAsync(),
  };
}
