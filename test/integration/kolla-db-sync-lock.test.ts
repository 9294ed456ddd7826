import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { CALM, gateFile, migration, runsIn, siteOn } from './kolla-db-sync-support.ts';

const skip = (await canRunMariadb()) ?? false;

describe('the lock of kolla-db-sync on MariaDB', { skip, concurrency: 3 }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('of two concurrent runs one migrates; the other waits, names the holder, and finds the work done', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    await using first = await site.begin(['--release', 'r1', ...migration(gate.path)]);
    await first.saying(/started/);
    await using second = await site.begin(['--release', 'r1', ...migration(gate.path)]);
    await second.saying(/waiting: .* has been migrating keystone of release r1 .* token 1/);
    await gate.open();
    assert.equal(await first.code, 0);
    assert.equal(await second.code, 0);
    await second.saying(/nothing to do: .* has finished it meanwhile/);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [true],
    );
  });

  test('with two concurrent releases both migrate, one after the other', async () => {
    const site = siteOn(mariadb);
    const all = await Promise.all(['r1', 'r2'].map((release) => site.sync(['--release', release, ...migration(400)])));
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0],
    );
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [true, true],
    );
  });

  test('only one of five concurrent runs migrates', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => site.begin(migration(gate.path))));
    await Promise.all(five.map((begun) => begun.saying(/started|waiting: /)));
    await gate.open();
    assert.deepEqual(await Promise.all(five.map((begun) => begun.code)), [0, 0, 0, 0, 0]);
    assert.equal(runsIn(await site.journal()).length, 1);
  });

  test('does not count a failed migration as done: the next run migrates', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    const failing = [...migration(gate.path).slice(0, -1), '3'];
    await using first = await site.begin(failing);
    await first.saying(/started/);
    await using second = await site.begin(failing);
    await second.saying(/waiting/);
    await gate.open();
    assert.equal(await first.code, 3);
    assert.equal(await second.code, 3);
    assert.equal(runsIn(await site.journal()).length, 2);
  });

  test('a run that waits for the lock exits at once on SIGTERM, without affecting the other', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    await using first = await site.begin(migration(gate.path));
    await first.saying(/started/);
    await using second = await site.begin(migration(0));
    await second.saying(/waiting/);
    process.kill(second.running.pid, 'SIGTERM');
    assert.equal(await second.code, 143);
    assert.ok(!/exited with code/.test(first.said()));
    await gate.open();
    assert.equal(await first.code, 0);
  });

  test('a wait for the lock times out, naming the holder', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    await using first = await site.begin(migration(gate.path));
    await first.saying(/started/);
    const { code, stderr } = await site.sync(['--lock-timeout', '500ms', ...migration(0)]);
    assert.equal(code, 75);
    assert.match(stderr, /waited .* for another migration of this database: .* token 1/);
    await gate.open();
    assert.equal(await first.code, 0);
  });

  test('the successor of a run killed by SIGKILL starts only when its command is gone', async () => {
    const site = siteOn(mariadb);
    await using first = await site.begin(migration(60_000));
    await first.saying(/started/);
    await using second = await site.begin(migration(0));
    await second.saying(/waiting/);
    process.kill(first.running.pid, 'SIGKILL');
    assert.equal(await second.code, 0);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
    assert.match(second.said(), /the previous migration was interrupted/);
    assert.equal((await site.fence())?.['token'], 2);
  });

  test('continues with greater tokens when the row was deleted', async () => {
    const site = siteOn(mariadb);
    for (const drop of ['SELECT 1', 'DELETE FROM kolla_pod_fence', 'DROP TABLE kolla_pod_fence']) {
      const { code, stderr } = await site.sync(migration(0));
      assert.equal(code, 0, `before ${drop}: ${stderr}`);
      await mariadb.query(`USE ${site.database}; ${drop}`);
    }
    assert.equal((await site.sync(migration(0))).code, 0);
    assert.equal((await site.fence())?.['token'], 4);
  });

  test('rejects a table whose engine would not exclude a session on another node', async () => {
    const site = siteOn(mariadb);
    assert.equal((await site.sync(migration(0))).code, 0);
    await mariadb.query(`ALTER TABLE ${site.database}.kolla_pod_fence ENGINE=MyISAM`);
    const { code, stderr } = await site.sync(migration(0));
    assert.equal(code, 69, stderr);
    assert.match(stderr, /kolla_pod_fence is of engine MyISAM, .*: ALTER TABLE kolla_pod_fence ENGINE=InnoDB/);
    assert.equal((await site.fence())?.['token'], 1);
  });

  test('reports an invalid value edited into the row, with the fix', async () => {
    const site = siteOn(mariadb);
    for (const [column, value] of [
      ['token', '18446744073709551615'],
      ['state', 'gone'],
    ] as const) {
      assert.equal((await site.sync(migration(0))).code, 0);
      await mariadb.query(`UPDATE ${site.database}.kolla_pod_fence SET ${column} = ?`, [value]);
      const { code, stderr } = await site.sync(migration(0));
      assert.equal(code, 69, stderr);
      assert.match(stderr, new RegExp(`kolla_pod_fence was edited: its ${column} is '?${value}'?.*DROP TABLE`));
      await mariadb.query(`DROP TABLE ${site.database}.kolla_pod_fence`);
    }
  });

  test("stops its command when an administrator kills its lock's session", async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin(migration(60_000));
    await begun.saying(/started/);
    const [row] = await mariadb.query('SELECT IS_USED_LOCK(?) AS id', [`kolla-db-sync:${site.database}`]);
    await using second = await site.begin(migration(0));
    await second.saying(/waiting/);
    await mariadb.query(`KILL CONNECTION ${row?.['id']}`);
    assert.equal(await begun.code, 69);
    assert.equal(await second.code, 0);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
  });

  test('a successor waits until a command that ignores SIGTERM is killed', async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin([...migration(60_000), 'stubborn']);
    await begun.saying(/started/);
    await using second = await site.begin(migration(0));
    await second.saying(/waiting/);
    const [row] = await mariadb.query('SELECT IS_USED_LOCK(?) AS id', [`kolla-db-sync:${site.database}`]);
    await mariadb.query(`KILL CONNECTION ${row?.['id']}`);
    assert.equal(await second.code, 0);
    assert.equal(await begun.code, 69);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
  });

  test('a successor ends the statement that the server still runs for a dead command', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    const blocker = await createConnection({
      socketPath: mariadb.socket,
      user: 'root',
      password: mariadb.rootPassword,
    });
    try {
      await blocker.query(`BEGIN`);
      await blocker.query(`SELECT * FROM ${site.database}.journal WHERE id = 1 FOR UPDATE`);
      await using first = await site.begin(migration("UPDATE journal SET what = 'late' WHERE id = 1"));
      await first.saying(/started/);
      await using second = await site.begin(migration(0));
      await second.saying(/waiting/);
      process.kill(first.running.pid, 'SIGKILL');
      assert.equal(await second.code, 0, second.said());
      await blocker.query('COMMIT');
      assert.equal((await site.journal())[0]?.what, 'start');
    } finally {
      await blocker.end();
    }
  });

  test('stops its command when the fence row has a later token', async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin([...CALM, ...migration(60_000)]);
    await begun.saying(/started/);
    await mariadb.query(`UPDATE ${site.database}.kolla_pod_fence SET token = token + 1, holder = 'a successor'`);
    assert.equal(await begun.code, 69);
    assert.match(begun.said(), /the lock was lost: another migrator has taken the fence row/);
    assert.ok((await site.journal()).every(({ what }) => what !== 'end'));
    const { state, holder } = (await site.fence()) ?? {};
    assert.deepEqual({ state, holder }, { state: 'running', holder: 'a successor' });
  });
});
