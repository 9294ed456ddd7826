import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canRunKeystone, keystone, keystoneConf } from '../cluster/keystone.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { databaseName, sharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { must, start, tailOf, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;
const ADMIN_PASSWORD = 'of this test only';
const TRY_MS = 5000;

describe('Keystone', { skip }, () => {
  test('migrates an empty database, is bootstrapped, serves /v3 and issues a token', async () => {
    await using directory = await privateDirectory('keystone');
    await using mariadb = await sharedMariadb();
    const name = databaseName('keystone');
    await mariadb.query(
      `CREATE DATABASE ${name}; CREATE USER ${name}@'%' IDENTIFIED BY 'kpw'; GRANT ALL ON ${name}.* TO ${name}@'%'`,
    );
    const { manage, serve } = await keystone();
    const configFile = join(directory.path, 'keystone.conf');
    const logDirectory = join(directory.path, 'log');
    const keys = join(directory.path, 'etc');
    const connection = `mysql+pymysql://${name}:kpw@${mariadb.host}:${mariadb.port}/${name}`;
    await mkdir(logDirectory);
    await mkdir(keys);
    await writeFile(configFile, keystoneConf({ connection, keys, logDirectory }));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/v3`;

    const run = async (...words: string[]): Promise<string> => {
      const { command, args, env } = manage(configFile);
      return await must(command, [...args, ...words], { env: { ...env, OS_BOOTSTRAP_PASSWORD: ADMIN_PASSWORD } });
    };
    await run('db_sync');
    const [tables] = await mariadb.query('SELECT COUNT(*) AS n FROM information_schema.tables WHERE table_schema = ?', [
      name,
    ]);
    assert.ok(Number(tables?.['n']) > 40, `${String(tables?.['n'])} tables`);
    await run('fernet_setup', ...owner());
    await run('credential_setup', ...owner());
    await run('bootstrap', '--bootstrap-public-url', url);

    const { command, args, env } = serve({ configFile, port });
    const logFile = join(directory.path, 'uwsgi.log');
    await using api = await start(...tied(command, args), { env, logFile });
    const answer = await until('Keystone to answer', async () => {
      if (api.child.exitCode !== null) throw new Error(`Keystone ended: ${tailOf(logFile)}`);
      return await fetch(url, { signal: AbortSignal.timeout(TRY_MS) }).catch(() => undefined);
    });
    assert.equal(answer.status, 200, tailOf(logFile));
    assert.equal(await statusOfTokenFor(url, ADMIN_PASSWORD), 201);
    assert.equal(await statusOfTokenFor(url, 'wrong'), 401);
    assert.match(await readFile(join(logDirectory, 'keystone.log'), 'utf8'), / WARNING keystone\./);
    assert.equal(await api.stop(), 0, 'SIGTERM ends it in good order');
  });
});

function owner(): string[] {
  const { uid, gid } = userInfo();
  return ['--keystone-user', String(uid), '--keystone-group', String(gid)];
}

async function statusOfTokenFor(url: string, password: string): Promise<number> {
  const user = { name: 'admin', domain: { id: 'default' }, password };
  const reply = await fetch(`${url}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } } } }),
  });
  return reply.status;
}
