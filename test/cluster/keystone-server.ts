/**
 * A real running Keystone with its dependencies:
 *
 *   the caller's MariaDB -> database and account -> keystone.conf, keys -> db_sync, keystone-manage bootstrap
 *     -> the API under uWSGI on a free loopback port
 *
 * Its admin is `admin`, in project `admin`. It can be stopped and restarted on the same port with the same data.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, start, tailOf, tied, type Running } from '../../tools/process.ts';
import { step } from '../../tools/progress.ts';
import { databaseName } from '../support/names.ts';
import { until } from '../support/until.ts';
import { keystone, keystoneConf } from './keystone.ts';
import type { Mariadb } from './mariadb.ts';

export interface KeystoneServer extends AsyncDisposable {
  /** URL that ends with /v3. */
  readonly url: string;
  readonly port: number;
  readonly adminPassword: string;
  /** Stops its API immediately; its data is kept. */
  stop(): Promise<void>;
  /** Starts its API again after stop, and resolves when it responds. */
  restart(): Promise<void>;
}

const TRY_MS = 5000;

/** Starts a Keystone on a separate database in that MariaDB; about ten seconds. */
export async function startKeystone(mariadb: Pick<Mariadb, 'host' | 'port' | 'query'>): Promise<KeystoneServer> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await privateDirectory('keystone')).path;
  const at = (name: string) => join(directory, name);
  const [configFile, adminPassword, port] = [at('keystone.conf'), crypto.randomUUID(), await freePort()];
  const url = `http://127.0.0.1:${port}/v3`;
  const database = databaseName('keystone');
  await mariadb.query(
    `CREATE DATABASE ${database}; CREATE USER ${database}@'%' IDENTIFIED BY 'kpw'; GRANT ALL ON ${database}.* TO ${database}@'%'`,
  );
  await Promise.all(['log', 'keys'].map((name) => mkdir(at(name))));
  const connection = `mysql+pymysql://${database}:kpw@${mariadb.host}:${mariadb.port}/${database}`;
  await writeFile(configFile, quick(keystoneConf({ connection, keys: at('keys'), logDirectory: at('log') })));
  const { manage, serve } = await keystone();
  const run = async (...words: string[]): Promise<void> => {
    const { command, args, env } = manage(configFile);
    await must(command, [...args, ...words], { env: { ...env, OS_BOOTSTRAP_PASSWORD: adminPassword } });
  };
  await step('prepares Keystone', async () => {
    for (const repository of ['fernet-keys', 'credential-keys']) await writeKeys(at(`keys/${repository}`));
    await run('db_sync');
    await run('bootstrap', '--bootstrap-public-url', url, '--bootstrap-region-id', 'RegionOne');
  });

  let api: Running | undefined;
  const restart = async (): Promise<void> => {
    const { command, args, env } = serve({ configFile, port });
    const started = await start(...tied(command, args), { env, logFile: at('uwsgi.log'), throwAway: true });
    api = started;
    await until('Keystone to respond', async () => {
      if (started.child.exitCode !== null) throw new Error(`Keystone ended: ${tailOf(at('uwsgi.log'))}`);
      return await fetch(url, { signal: AbortSignal.timeout(TRY_MS) }).catch(() => undefined);
    });
  };
  const stop = async (): Promise<void> => void (await api?.stop());
  stack.defer(() => api?.[Symbol.asyncDispose]());
  await restart();
  const moved = stack.move();
  return { url, port, adminPassword, stop, restart, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Equivalent to fernet_setup and credential_setup, each of which starts Python: the primary and the staged key. */
async function writeKeys(repository: string): Promise<void> {
  await mkdir(repository, { mode: 0o700 });
  // A key of 32 bytes, padded to 44 characters.
  for (const id of ['0', '1'])
    await writeFile(join(repository, id), `${randomBytes(32).toString('base64url')}=`, { mode: 0o600 });
}

/** Adds fast password hashes, and a cache of tokens, roles and the catalogue in memory instead of memcached. */
function quick(conf: string): string {
  return `${conf.replace('[cache]\nenabled = False', '[cache]\nenabled = True\nbackend = dogpile.cache.memory')}[identity]\npassword_hash_rounds = 4\n`;
}
