import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canRunKeystone, keystone, keystoneConf } from '../cluster/keystone.ts';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { privateFolder } from '../support/folder.ts';
import { runHelper } from '../support/helper.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;

describe("kolla-db-sync and Keystone's own db_sync", { skip, timeout: 300_000 }, () => {
  test('of three at once one migrates the schema that keystone.conf names, and Keystone finds it complete', async () => {
    await using folder = await privateFolder('dbsync-keystone');
    await using mariadb = await startMariadb();
    const { manage } = await keystone();
    const [configFile, logFolder, keys] = ['keystone.conf', 'log', 'keys'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([mkdir(logFolder), mkdir(keys)]);
    // No %: Keystone hands its URL to alembic's ConfigParser, which takes one for an interpolation and fails.
    const connection = `mysql+pymysql://keystone:p:/s's!@${mariadb.host}:${mariadb.port}/keystone?charset=utf8`;
    await writeFile(configFile, keystoneConf({ connection, keys, logFolder }));
    const { command, args, env } = manage(configFile);
    const sync = (...words: string[]) =>
      runHelper(
        'kolla-db-sync',
        [
          'keystone',
          '--service-config',
          configFile,
          '--admin-user',
          'root',
          '--',
          command,
          ...args,
          'db_sync',
          ...words,
        ],
        { env: { ...env, KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword } },
      );

    const all = await Promise.all([sync(), sync(), sync()]);
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0],
      all.map(({ stderr }) => stderr).join('\n'),
    );
    assert.equal(all.filter(({ stderr }) => /"msg":"nothing to do/.test(stderr)).length, 2);
    const { code, stderr } = await sync('--check');
    assert.equal(code, 0, stderr);
  });
});
