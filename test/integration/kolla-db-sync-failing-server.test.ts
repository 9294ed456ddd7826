import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canRunMariadb, startMariadb } from '../cluster/mariadb.ts';
import { stopGroup } from '../support/stop-group.ts';
import { until } from '../support/until.ts';
import { CALM, migration, runsIn, siteOn } from './kolla-db-sync-support.ts';

describe('kolla-db-sync with a failing server', { skip: (await canRunMariadb()) ?? false, concurrency: 2 }, () => {
  test('waits for a server that is down, and continues when it is up', async () => {
    await using mariadb = await startMariadb();
    await mariadb.stop();
    const site = siteOn(mariadb);
    await using begun = await site.begin(migration(0));
    await begun.saying(/waiting for the database server at 127\.0\.0\.1:\d+: .*ECONNREFUSED/);
    await mariadb.restart();
    assert.equal(await begun.code, 0);
    assert.equal(runsIn(await site.journal()).length, 1);
  });

  test('gives up on a frozen server at the deadline', async () => {
    await using mariadb = await startMariadb();
    await stopGroup(mariadb.pid);
    try {
      const { code, stderr } = await siteOn(mariadb).sync(['--timeout', '1s', ...migration(0)]);
      assert.equal(code, 75);
      assert.match(stderr, /waited 1s for the database server/);
    } finally {
      process.kill(-mariadb.pid, 'SIGCONT');
    }
  });

  test('stops its command when the server freezes, and writes nothing after the thaw', async () => {
    await using mariadb = await startMariadb();
    const site = siteOn(mariadb);
    await using begun = await site.begin([...CALM, ...migration(60_000)]);
    await begun.saying(/started/);
    await stopGroup(mariadb.pid);
    try {
      assert.equal(await begun.code, 69);
    } finally {
      process.kill(-mariadb.pid, 'SIGCONT');
    }
    assert.equal((await site.sync(migration(0))).code, 0);
    assert.deepEqual(
      runsIn(await site.journal()).map((run) => run.isWhole),
      [false, true],
    );
  });

  test('exits after SIGTERM while the server is frozen, and the next one resumes', async () => {
    await using mariadb = await startMariadb();
    const site = siteOn(mariadb);
    await using begun = await site.begin(['--grace', '0', ...migration(60_000)]);
    await begun.saying(/started/);
    await stopGroup(mariadb.pid);
    try {
      process.kill(begun.running.pid, 'SIGTERM');
      let code: number | undefined;
      void begun.code.then((ended) => (code = ended));
      assert.equal(await until('it to end', async () => code), 143);
      assert.match(begun.said(), /cannot record that it is interrupted: the server did not answer in time/);
    } finally {
      process.kill(-mariadb.pid, 'SIGCONT');
    }
    const { code, stderr } = await site.sync(migration(0));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /the previous migration was interrupted/);
  });

  test('stops its command when the server is killed; the next one migrates', async () => {
    await using mariadb = await startMariadb();
    const site = siteOn(mariadb);
    await using begun = await site.begin(migration(60_000));
    await begun.saying(/started/);
    await mariadb.kill();
    assert.notEqual(await begun.code, 0);
    await mariadb.restart();
    assert.equal((await site.sync(migration(0))).code, 0);
    assert.equal(runsIn(await site.journal()).at(-1)?.isWhole, true);
  });

  test('keeps waiting for the lock when the server restarts meanwhile', async () => {
    await using mariadb = await startMariadb();
    const site = siteOn(mariadb);
    await using first = await site.begin(migration(60_000));
    await first.saying(/started/);
    await using second = await site.begin(migration(0));
    await second.saying(/waiting/);
    await mariadb.kill();
    await mariadb.restart();
    assert.equal(await second.code, 0);
    assert.match(second.said(), /lost the server while waiting for the lock/);
  });
});
