import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { documentedRun } from '../integration/docker-words.ts';
import { migration, runsIn, siteOn } from '../integration/kolla-db-sync-support.ts';
import { databaseName, sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { runHelper } from '../support/helper.ts';
import { privateDirectory } from '../../tools/directory.ts';

describe('kolla-db-sync', { skip: (await canRunMariadb()) ?? false }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('creates database, account and grants, migrates, and records it', async () => {
    const site = siteOn(mariadb);
    const { code, stderr } = await site.sync(['--release', '2026.1', ...migration(0)]);
    assert.equal(code, 0, stderr);
    assert.equal(runsIn(await site.journal()).length, 1);
    const { token, state, service, release, exit_code } = (await site.fence()) ?? {};
    assert.deepEqual(
      { token, state, service, release, exit_code },
      { token: 1, state: 'done', service: 'keystone', release: '2026.1', exit_code: 0 },
    );
    const [schema] = await mariadb.query(
      'SELECT DEFAULT_CHARACTER_SET_NAME AS charset FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?',
      [site.database],
    );
    assert.equal(schema?.['charset'], 'utf8mb3');
  });

  test("the documentation's docker run migrates, and has nothing to do the second time", async () => {
    const { env, volumes, command } = await documentedRun('reference/kolla-db-sync', 'KOLLA_DB_SYNC_ADMIN_USER');
    assert.equal(command[0], 'kolla-db-sync');
    assert.deepEqual([...volumes.keys()], ['/etc/keystone', '/run/secrets']);
    await using directory = await privateDirectory('docker-run');
    // Without an engine, directories replace its mounts and the files of the image, and an address on 127.0.0.1
    // replaces the server name of its network.
    const at = (path: string) => join(directory.path, path);
    await Promise.all(['etc', 'secrets', 'bin'].map((name) => mkdir(at(name))));
    const database = databaseName('keystone');
    const url = `mysql+pymysql://${database}:secret@${mariadb.host}:${mariadb.port}/${database}?charset=utf8`;
    await writeFile(at('etc/keystone.conf'), `[database]\nconnection = ${url}\n`);
    await writeFile(at('secrets/mariadb-root'), `${mariadb.rootPassword}\n`);
    const tool = migration(0)
      .slice(1)
      .map((word) => `'${word}'`)
      .join(' ');
    const script = `#!/bin/sh\ncase "$*" in *--check*) exit 0 ;; esac\nexec ${tool}\n`;
    await writeFile(at('bin/keystone-manage'), script, { mode: 0o755 });
    const inside = {
      PATH: `${at('bin')}:${process.env['PATH']}`,
      KOLLA_DB_SYNC_SERVICE_CONFIG: at('etc/keystone.conf'),
      ...Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, value.replace('/run/secrets', at('secrets'))]),
      ),
    };
    const again = () => runHelper('kolla-db-sync', command.slice(1), { env: inside });
    const first = await again();
    assert.equal(first.code, 0, first.stderr);
    const [row] = await mariadb.query(`SELECT state, \`release\` FROM ${database}.kolla_pod_record`);
    assert.deepEqual({ ...row }, { state: 'done', release: command.at(-1) });
    const second = await again();
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /nothing to do: token \d+ has done it/);
  });
});
