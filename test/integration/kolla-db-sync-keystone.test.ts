import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { canRunKeystone, keystone, keystoneConf } from '../cluster/keystone.ts';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { privateFolder } from '../support/folder.ts';
import { runHelper } from '../support/helper.ts';
import { run, type Finished } from '../support/process.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;

interface KeystoneSite extends AsyncDisposable {
  readonly mariadb: Mariadb;
  /** `kolla-db-sync keystone`, with keystone-manage on the PATH as in an image. */
  readonly sync: (...words: readonly string[]) => Promise<Finished>;
  /** The exit code of Keystone's own check. */
  readonly check: () => Promise<number>;
  readonly records: () => Promise<Record<string, unknown>[]>;
}

async function keystoneSite(): Promise<KeystoneSite> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await privateFolder('dbsync-keystone')).path;
  const mariadb = stack.use(await startMariadb());
  const { manage } = await keystone();
  const at = (name: string) => join(folder, name);
  await Promise.all(['log', 'keys', 'bin'].map((name) => mkdir(at(name))));
  const connection = `mysql+pymysql://keystone:secret@${mariadb.host}:${mariadb.port}/keystone?charset=utf8`;
  await writeFile(at('keystone.conf'), keystoneConf({ connection, keys: at('keys'), logFolder: at('log') }));
  const { command, args, env } = manage(at('keystone.conf'));
  const words = [command, ...args].map((word) => `'${word}'`).join(' ');
  await writeFile(at('bin/keystone-manage'), `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(at('bin/keystone-manage'), 0o755);
  const ours = {
    ...env,
    PATH: `${at('bin')}:${env['PATH'] ?? process.env['PATH']}`,
    KOLLA_DB_SYNC_SERVICE_CONFIG: at('keystone.conf'),
  };
  const admin = { KOLLA_DB_SYNC_ADMIN_USER: 'root', KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword };
  // As the Job does it: Keystone is asked with its database there.
  await mariadb.query(
    `CREATE DATABASE keystone; CREATE USER keystone IDENTIFIED BY 'secret'; GRANT ALL ON keystone.* TO keystone`,
  );
  const taken = stack.move();
  return {
    mariadb,
    sync: (...more) => runHelper('kolla-db-sync', ['keystone', ...more], { env: { ...ours, ...admin } }),
    check: async () => (await run(at('bin/keystone-manage'), ['db_sync', '--check'], { env: ours })).code,
    async records() {
      const { stdout } = await runHelper('kolla-db-sync', ['status', 'keystone', '-o', 'json'], { env: ours });
      return (JSON.parse(stdout) as { records: Record<string, unknown>[] }).records;
    },
    [Symbol.asyncDispose]: () => taken.disposeAsync(),
  };
}

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

  test("its upgrade goes phase by phase, and Keystone's own check says after each what comes next", async () => {
    await using site = await keystoneSite();
    const { sync, check } = site;
    assert.equal(await check(), 2, 'an empty database is to be expanded');

    assert.equal((await sync('--phase', 'expand')).code, 0);
    assert.equal(await check(), 4, 'contract comes next');
    assert.equal((await sync('--phase', 'migrate')).code, 0);
    const again = await sync('--phase', 'expand');
    assert.equal(again.code, 0, again.stderr);
    assert.match(
      again.stderr,
      /nothing to do: token 1 has done it, and keystone-manage db_sync --check \(exit code 4\)/,
    );

    const contract = await sync('--phase', 'contract');
    assert.equal(contract.code, 0, contract.stderr);
    assert.equal(await check(), 0, 'nothing is left');
    const told = (await site.records()).map(({ phase, state, token, exitCode }) =>
      [phase, state, token, exitCode].join(' '),
    );
    assert.deepEqual(told, ['contract done 3 0', 'migrate done 2 0', 'expand done 1 0']);
  });

  test('run again, it asks Keystone itself, takes no lock and leaves no mark', async () => {
    await using site = await keystoneSite();
    assert.equal((await site.sync('--release', '2026.1')).code, 0);
    const before = await site.records();
    const { code, stderr } = await site.sync('--release', '2026.1');
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /nothing to do: token 1 has done it, and keystone-manage db_sync --check \(exit code 0\) agrees/,
    );
    assert.doesNotMatch(stderr, /running /);
    assert.deepEqual(await site.records(), before);
  });

  test('a schema that lost its version is not taken for done; what stands in the way is said, and recorded', async () => {
    await using site = await keystoneSite();
    assert.equal((await site.sync()).code, 0);
    await site.mariadb.query('DELETE FROM keystone.alembic_version');
    const { code, stderr } = await site.sync();
    assert.notEqual(code, 0);
    assert.match(
      stderr,
      /the migration failed: keystone-manage ended with 1: error 1050 .*already exists.*half applied/,
    );
    const [{ state, output } = {}] = await site.records();
    assert.equal(state, 'failed');
    assert.match(String(output), /\(1050, "Table '\w+' already exists"\)/);
  });
});
