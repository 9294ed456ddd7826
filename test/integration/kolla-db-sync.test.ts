import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { gateFile, migration, runsIn, siteOn } from './kolla-db-sync-support.ts';

const skip = (await canRunMariadb()) ?? false;

describe('kolla-db-sync on MariaDB', { skip, concurrency: 3 }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('kolla-probe db-sync reports from the record whether the schema is ready', async () => {
    const site = siteOn(mariadb);
    const probed = async (...more: string[]) => {
      const at = ['--server', `${mariadb.host}:${mariadb.port}`, '--database', site.database, '--user', site.database];
      const env = { KOLLA_PROBE_PASSWORD: site.password };
      const words = ['db-sync', 'keystone', ...at, '--timeout', '1h', ...more];
      const { code, stderr } = await runHelper('kolla-probe', words, { env });
      return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
    };
    const refused = await probed();
    assert.equal(refused.code, 1);
    assert.match(refused.msg, /it rejects the login of/);
    assert.equal((await site.sync(['--release', 'r1', ...migration(0, 42)])).code, 42);
    const failed = await probed();
    assert.equal(failed.code, 1);
    assert.match(failed.msg, /db-sync keystone: failed \(command\) of release r1$/);
    assert.equal((await site.sync(['--release', 'r1', ...migration(0)])).code, 0);
    assert.deepEqual(await probed('--release', 'r1'), { code: 0, msg: '' });
    assert.equal((await site.sync(['--release', 'r2', ...migration(0, 42)])).code, 42);
    assert.deepEqual(await probed(), { code: 0, msg: '' });
    assert.match(
      (await probed('--release', 'r2')).msg,
      /ready for release r1, not r2; failed \(command\) of release r2$/,
    );
  });

  test('runs again on the next call, with the next token', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    assert.equal((await site.sync(migration(0))).code, 0);
    assert.equal(runsIn(await site.journal()).length, 2);
    assert.equal((await site.fence())?.['token'], 2);
  });

  test("exits with the command's code, and records it", async () => {
    const site = siteOn(mariadb);
    const { code } = await site.sync(migration(0, 42));
    assert.equal(code, 42);
    const { state, exit_code } = (await site.fence()) ?? {};
    assert.deepEqual({ state, exit_code }, { state: 'failed', exit_code: 42 });
  });

  test('after SIGTERM a command that finishes counts as done', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    await using begun = await site.begin(migration(gate.path));
    await begun.saying(/started/);
    process.kill(begun.running.pid, 'SIGTERM');
    await begun.saying(/terminating/);
    await gate.open();
    assert.equal(await begun.code, 0);
    assert.equal((await site.fence())?.['state'], 'done');
  });

  test('a command that exceeds the grace period is stopped, and recorded as interrupted', async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin(['--grace', '200ms', ...migration(60_000)]);
    await begun.saying(/started/);
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143);
    assert.equal((await site.fence())?.['state'], 'interrupted');
  });

  test('shows the fence row as a table and as JSON', async () => {
    const site = siteOn(mariadb);
    await site.sync(['--release', '2026.1', ...migration(0)]);
    const env = { KOLLA_DB_SYNC_CONNECTION: site.env['KOLLA_DB_SYNC_CONNECTION'] };
    const table = await runHelper('kolla-db-sync', ['status', 'keystone'], { env });
    assert.match(table.stdout, /^state +done$/m);
    const json = await runHelper('kolla-db-sync', ['status', 'keystone', '--output', 'json'], { env });
    const { database, token, release } = JSON.parse(json.stdout) as Record<string, unknown>;
    assert.deepEqual({ database, token, release }, { database: site.database, token: 1, release: '2026.1' });
  });
});
