import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { gateFile, migration, runsIn, siteOn } from './kolla-db-sync-support.ts';

const VERY_SPECIAL = `q'"\\@:/%?#&é€ \`$(x)`;

describe(
  'kolla-db-sync on MariaDB',
  { skip: (await canRunMariadb()) ?? false, timeout: 120_000, concurrency: 3 },
  () => {
    let mariadb: Mariadb;
    before(async () => {
      mariadb = await startMariadb();
    });
    after(() => mariadb[Symbol.asyncDispose]());

    test('makes database, account and grants, migrates, and records it', async () => {
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

    test('grants nothing in databases whose names only look alike', async () => {
      const site = siteOn(mariadb);
      await site.sync(migration(0));
      const [grants] = await mariadb.query(`SHOW GRANTS FOR ${site.database}@'%'`).then((rows) => rows.slice(1));
      assert.match(JSON.stringify(grants), /key\\\\_stone/);
    });

    test('runs again when it is run again, with the next token', async () => {
      const site = siteOn(mariadb);
      await site.sync(migration(0));
      assert.equal((await site.sync(migration(0))).code, 0);
      assert.equal(runsIn(await site.journal()).length, 2);
      assert.equal((await site.fence())?.['token'], 2);
    });

    test('leaves database and account alone without an admin, and says so', async () => {
      const site = siteOn(mariadb);
      await site.sync(migration(0));
      const { KOLLA_DB_SYNC_CONNECTION } = site.env;
      const { code, stderr } = await runHelper('kolla-db-sync', ['keystone', ...migration(0)], {
        env: { KOLLA_DB_SYNC_CONNECTION },
      });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /left alone/);
    });

    test('says what is missing when there is neither a database nor an admin', async () => {
      const site = siteOn(mariadb);
      await site.sync(migration(0));
      await mariadb.query(`DROP DATABASE ${site.database}`);
      const { KOLLA_DB_SYNC_CONNECTION } = site.env;
      const { code, stderr } = await runHelper('kolla-db-sync', ['keystone', ...migration(0)], {
        env: { KOLLA_DB_SYNC_CONNECTION },
      });
      assert.equal(code, 69);
      assert.match(stderr, /Unknown database.*--admin-user/);
    });

    test('of two at once one migrates; the other waits, says for whom, and finds it done', async () => {
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

    test('of two releases at once both migrate, one after the other', async () => {
      const site = siteOn(mariadb);
      const all = await Promise.all(
        ['r1', 'r2'].map((release) => site.sync(['--release', release, ...migration(400)])),
      );
      assert.deepEqual(
        all.map(({ code }) => code),
        [0, 0],
      );
      assert.deepEqual(
        runsIn(await site.journal()).map((run) => run.isWhole),
        [true, true],
      );
    });

    test('of five at once one migrates', async () => {
      const site = siteOn(mariadb);
      await using gate = await gateFile();
      const five = await Promise.all([1, 2, 3, 4, 5].map(() => site.begin(migration(gate.path))));
      await Promise.all(five.map((begun) => begun.saying(/started|waiting: /)));
      await gate.open();
      assert.deepEqual(await Promise.all(five.map((begun) => begun.code)), [0, 0, 0, 0, 0]);
      assert.equal(runsIn(await site.journal()).length, 1);
    });

    test('does not count a failed migration as done: the next one migrates', async () => {
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

    test("ends with the command's code, and records it", async () => {
      const site = siteOn(mariadb);
      const { code } = await site.sync(migration(0, 42));
      assert.equal(code, 42);
      const { state, exit_code } = (await site.fence()) ?? {};
      assert.deepEqual({ state, exit_code }, { state: 'failed', exit_code: 42 });
    });

    test('a password may hold anything, and is shown nowhere', async () => {
      const site = siteOn(mariadb, VERY_SPECIAL, encodeURIComponent(VERY_SPECIAL).replaceAll("'", '%27'));
      const echo = ['--', 'sh', '-c', 'echo "$OS_DATABASE__CONNECTION"; env; exec "$0" "$@"', ...migration(0).slice(1)];
      const { code, stdout, stderr } = await site.sync(['--log-level', 'debug', ...echo]);
      assert.equal(code, 0, stderr);
      assert.equal(runsIn(await site.journal()).length, 1);
      const said =
        stdout +
        logLines(stderr)
          .map(({ msg }) => msg)
          .join('\n');
      assert.ok(!said.includes(VERY_SPECIAL));
      assert.ok(!said.includes('%5C%40'));
      assert.ok(!said.includes(mariadb.rootPassword));
    });

    test('refuses an account that has another password, and does not change it', async () => {
      const site = siteOn(mariadb);
      await site.sync(migration(0));
      const { KOLLA_DB_SYNC_CONNECTION = '' } = site.env;
      const wrong = { KOLLA_DB_SYNC_CONNECTION: KOLLA_DB_SYNC_CONNECTION.replace(site.password, 'another-one') };
      const { code, stderr } = await site.sync(migration(0), wrong);
      assert.equal(code, 77);
      assert.match(stderr, /with another password, which is never changed silently/);
      assert.doesNotMatch(stderr, /another-one/);
      assert.equal((await site.sync(migration(0))).code, 0);
    });

    test("refuses an admin's wrong password", async () => {
      const { code, stderr } = await siteOn(mariadb).sync(migration(0), { KOLLA_DB_SYNC_ADMIN_PASSWORD: 'hunter2' });
      assert.equal(code, 77);
      assert.match(stderr, /cannot log in as root@127.*error 1045/);
      assert.doesNotMatch(stderr, /hunter2/);
    });

    test('after SIGTERM the command may finish, and then it is done', async () => {
      const site = siteOn(mariadb);
      await using gate = await gateFile();
      await using begun = await site.begin(migration(gate.path));
      await begun.saying(/started/);
      process.kill(begun.running.pid, 'SIGTERM');
      await begun.saying(/asked to end/);
      await gate.open();
      assert.equal(await begun.code, 0);
      assert.equal((await site.fence())?.['state'], 'done');
    });

    test('a command that does not finish in the grace period is stopped, and recorded as interrupted', async () => {
      const site = siteOn(mariadb);
      await using begun = await site.begin(['--grace', '200ms', ...migration(60_000)]);
      await begun.saying(/started/);
      process.kill(begun.running.pid, 'SIGTERM');
      assert.equal(await begun.code, 143);
      assert.equal((await site.fence())?.['state'], 'interrupted');
    });

    test('one that waits for the lock ends at once on SIGTERM, and leaves the other alone', async () => {
      const site = siteOn(mariadb);
      await using gate = await gateFile();
      await using first = await site.begin(migration(gate.path));
      await first.saying(/started/);
      await using second = await site.begin(migration(0));
      await second.saying(/waiting/);
      process.kill(second.running.pid, 'SIGTERM');
      assert.equal(await second.code, 143);
      assert.ok(!/ended with/.test(first.said()));
      await gate.open();
      assert.equal(await first.code, 0);
    });

    test('a wait for the lock has an end, which names the holder', async () => {
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

    test('the successor of one killed with SIGKILL begins only when its command is gone', async () => {
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
      assert.match(second.said(), /the migration before was cut off/);
      assert.equal((await site.fence())?.['token'], 2);
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

    test('a successor waits for the statement that the server still runs for a dead command', async () => {
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
        await second.saying(/waiting for 1 running statement/);
        assert.doesNotMatch(second.said(), /running .*journal/);
        await blocker.query('COMMIT');
        assert.equal(await second.code, 0);
        assert.equal((await site.journal())[0]?.what, 'late');
      } finally {
        await blocker.end();
      }
    });

    test('stops its command when the fence row has a later token', async () => {
      const site = siteOn(mariadb);
      await using begun = await site.begin(['--lock-loss', '2s', ...migration(60_000)]);
      await begun.saying(/started/);
      await mariadb.query(`UPDATE ${site.database}.kolla_pod_fence SET token = token + 1, holder = 'a successor'`);
      assert.equal(await begun.code, 69);
      const { state, holder } = (await site.fence()) ?? {};
      assert.deepEqual({ state, holder }, { state: 'running', holder: 'a successor' });
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
  },
);

describe(
  'kolla-db-sync and a server that fails',
  { skip: (await canRunMariadb()) ?? false, timeout: 120_000, concurrency: 2 },
  () => {
    test('waits for a server that is down, and goes on when it is up', async () => {
      await using mariadb = await startMariadb();
      await mariadb.stop();
      const site = siteOn(mariadb);
      await using begun = await site.begin(migration(0));
      await begun.saying(/waiting for the database server at 127\.0\.0\.1:\d+: .*ECONNREFUSED/);
      await mariadb.restart();
      assert.equal(await begun.code, 0);
      assert.equal(runsIn(await site.journal()).length, 1);
    });

    test('gives a frozen server up at the deadline', async () => {
      await using mariadb = await startMariadb();
      process.kill(mariadb.pid, 'SIGSTOP');
      try {
        const { code, stderr } = await siteOn(mariadb).sync(['--timeout', '1s', ...migration(0)]);
        assert.equal(code, 75);
        assert.match(stderr, /waited 1s for the database server/);
      } finally {
        process.kill(mariadb.pid, 'SIGCONT');
      }
    });

    test('stops its command when the server freezes under it, and writes nothing after the thaw', async () => {
      await using mariadb = await startMariadb();
      const site = siteOn(mariadb);
      await using begun = await site.begin(['--lock-loss', '2s', ...migration(60_000)]);
      await begun.saying(/started/);
      process.kill(mariadb.pid, 'SIGSTOP');
      try {
        assert.equal(await begun.code, 69);
      } finally {
        process.kill(mariadb.pid, 'SIGCONT');
      }
      assert.equal((await site.sync(migration(0))).code, 0);
      assert.deepEqual(
        runsIn(await site.journal()).map((run) => run.isWhole),
        [false, true],
      );
    });

    test('stops its command when the server is killed under it; the next one migrates', async () => {
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

    test('goes on waiting for the lock when the server is started anew meanwhile', async () => {
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
  },
);
