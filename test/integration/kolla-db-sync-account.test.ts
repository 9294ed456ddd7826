/** The migration's account on a MariaDB: it is created for a token and dropped at the end. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { makeAccount, randomPassword } from '../../src/migrate/fence/account.ts';
import { connect } from '../../src/mysql/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { databaseName, sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { runHelper } from '../support/helper.ts';
import { childrenOf } from '../support/children.ts';
import { signalIfThere } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { CALM, gateFile, migration, runsIn, siteOn, type Site } from './kolla-db-sync-support.ts';

const SQL = fileURLToPath(new URL('fixtures/sql.ts', import.meta.url));

/** The command line of a migration that executes these statements. */
function statements(...sql: string[]): string[] {
  return ['--', process.execPath, SQL, ...sql];
}

describe('the account of a migration', { skip: (await canRunMariadb()) ?? false, concurrency: 3 }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  /** The migration accounts of that site. `locked` follows those that are locked. */
  async function accountsOf({ database }: Site): Promise<string[]> {
    const rows = await mariadb.query(
      `SELECT User AS user, JSON_VALUE(Priv, '$.account_locked') AS locked FROM mysql.global_priv
         WHERE User LIKE '${database.replaceAll('_', '\\_')}\\_m%'`,
    );
    return rows.map(({ user, locked }) => `${user}${locked === '1' || locked === 'true' ? ' locked' : ''}`);
  }

  test('is separate, unknown to other users, and dropped at the end', async () => {
    const site = siteOn(mariadb);
    const { code, stderr } = await site.sync(statements());
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`logged in as ${site.database}_m1_[0-9a-f]{6}@`));
    assert.deepEqual(await accountsOf(site), []);
  });

  test('is dropped after a failing command, whose partial changes are recorded', async () => {
    const site = siteOn(mariadb);
    const { code } = await site.sync(statements('NONSENSE'));
    assert.equal(code, 1);
    assert.deepEqual(await accountsOf(site), []);
    assert.equal((await site.fence())?.['account'], '');
  });

  test('has a password that is in no command line and no log', async () => {
    const site = siteOn(mariadb);
    await using gate = await gateFile();
    const shown = ['sh', '-c', 'echo "$OS_DATABASE__CONNECTION"; exec "$@"', 'sh', ...migration(gate.path).slice(1)];
    await using begun = await site.begin(['--', ...shown]);
    await begun.saying(/started/);
    const lines = readdirSync('/proc').flatMap((pid) => commandLine(pid));
    const url = environmentsWith('OS_DATABASE__CONNECTION', site.database);
    const password = /:([\w-]+-Aa1)@/.exec(url)?.[1] ?? '';
    assert.notEqual(password, '');
    assert.deepEqual(
      lines.filter((line) => line.includes(password)),
      [],
    );
    await gate.open();
    assert.equal(await begun.code, 0);
    assert.ok(!begun.said().includes(password));
    assert.match(begun.said(), /"msg":"\*\*\*"/);
  });

  test('is kept, locked, while a trigger needs it; the trigger keeps working, and a later run drops the account', async () => {
    const site = siteOn(mariadb);
    const made = await site.sync(
      statements(
        'CREATE TABLE a (n INT) ENGINE=InnoDB',
        'CREATE TABLE b (n INT) ENGINE=InnoDB',
        'CREATE TRIGGER copy BEFORE INSERT ON a FOR EACH ROW INSERT INTO b VALUES (NEW.n)',
      ),
    );
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stderr, /_m1_[0-9a-f]{6} is kept, locked: it is the definer of trigger key_stone\d+\.copy/);
    assert.match((await accountsOf(site)).join(), /_m1_[0-9a-f]{6} locked$/);
    const { host, port } = mariadb;
    const { database, password } = site;
    const live = await createConnection({ host, port, user: database, password, database });
    await live.query('INSERT INTO a VALUES (7)');
    await live.end();
    assert.deepEqual(
      (await mariadb.query(`SELECT n FROM ${database}.b`)).map(({ n }) => Number(n)),
      [7],
    );
    assert.equal((await site.sync(statements('SELECT 1'))).code, 0);
    assert.equal((await accountsOf(site)).length, 1);
    assert.equal((await site.sync(statements('DROP TRIGGER copy'))).code, 0);
    assert.deepEqual(await accountsOf(site), []);
    assert.equal((await site.fence())?.['kept'], '');
  });

  test("is neither created nor dropped by an admin who cannot see others' sessions", async () => {
    const site = siteOn(mariadb);
    const weak = `weak${site.database}`;
    await mariadb.query(`CREATE USER ${weak}@'%' IDENTIFIED BY 'p-of-weak'; GRANT CREATE USER ON *.* TO ${weak}@'%';
        GRANT SELECT ON mysql.* TO ${weak}@'%'; GRANT ALL ON \`${site.database}\`.* TO ${weak}@'%' WITH GRANT OPTION`);
    const env = { ...site.env, KOLLA_DB_SYNC_ADMIN_PASSWORD: 'p-of-weak' };
    const sync = (...args: string[]) =>
      runHelper('kolla-db-sync', ['keystone', '--admin-user', weak, ...args], { env });
    assert.equal((await site.sync(migration(0))).code, 0);
    const first = await sync(...migration(0));
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /runs as the service's own account: weakkey_stone\d+ lacks PROCESS/);
    await using begun = await site.begin(migration(60_000));
    await begun.saying(/started/);
    process.kill(begun.running.pid, 'SIGKILL');
    await begun.code;
    const { code, stderr } = await sync(...migration(0));
    assert.equal(code, 77, stderr);
    assert.match(stderr, /cannot kill the sessions of key_stone\d+_m3_[0-9a-f]{6}: it lacks PROCESS/);
    assert.equal((await accountsOf(site)).length, 1);
  });

  test('is read from the row, which the service can write: root in the row is not dropped', async () => {
    const site = siteOn(mariadb);
    assert.equal((await site.sync(migration(0))).code, 0);
    const other = `bystander${site.database}`;
    await mariadb.query(`CREATE USER ${other}@'%' IDENTIFIED BY 'p'`);
    for (const [column, value] of [
      ['account', other],
      ['kept', `["${other}"]`],
      ['kept', 'rubbish'],
    ] as const) {
      await mariadb.query(`UPDATE ${site.database}.kolla_pod_fence SET ${column} = ?`, [value]);
      const { code, stderr } = await site.sync(migration(0));
      assert.equal(code, 69, stderr);
      assert.match(stderr, new RegExp(`kolla_pod_fence was edited: its ${column} is .*SET ${column} = ''`));
      await mariadb.query(`UPDATE ${site.database}.kolla_pod_fence SET ${column} = ''`);
    }
    assert.equal((await mariadb.query('SELECT 1 FROM mysql.user WHERE User = ?', [other])).length, 1);
    assert.equal((await site.sync(migration(0))).code, 0);
  });

  test('of a run killed by SIGKILL is dropped by the next run', async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin(migration(60_000));
    await begun.saying(/started/);
    process.kill(begun.running.pid, 'SIGKILL');
    await begun.code;
    assert.equal((await accountsOf(site)).length, 1);
    const { code, stderr } = await site.sync(migration(0));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /account key_stone\d+_m1_[0-9a-f]{6} is dropped/);
    assert.deepEqual(await accountsOf(site), []);
  });

  test('is dropped by the next run if the previous one is frozen with all its processes, and its lock session is killed', async () => {
    const site = siteOn(mariadb);
    const times = [...CALM, '--lock-timeout', '60s'];
    await using holder = await site.begin(['--release', 'r1', ...times, ...migration(60_000)]);
    await holder.saying(/started/);
    const groups = childrenOf(holder.running.pid).map(({ pid }) => -pid);
    for (const id of [...groups, holder.running.pid]) process.kill(id, 'SIGSTOP');
    const written = async () => [
      await site.journal(),
      await site.fence(),
      await mariadb.query(`SELECT * FROM ${site.database}.kolla_pod_record`),
      await accountsOf(site),
    ];
    let atTakeover: unknown;
    try {
      const { code, stderr } = await site.sync(['--release', 'r2', ...times, ...migration(0)]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /killing the session of .*, which has the lock and has not renewed it/);
      atTakeover = await written();
    } finally {
      // When it resumes, the holder stops its children as soon as it can.
      for (const id of [holder.running.pid, ...groups]) signalIfThere(id, 'SIGCONT');
    }
    assert.equal(await holder.code, 69, holder.said());
    assert.deepEqual(await written(), atTakeover, 'the first one wrote after it was taken over');
  });

  test('is named in the error if the next run has no admin; with --predecessor-ended that run continues', async () => {
    const site = siteOn(mariadb);
    await using begun = await site.begin(migration(60_000));
    await begun.saying(/started/);
    process.kill(begun.running.pid, 'SIGKILL');
    const { KOLLA_DB_SYNC_CONNECTION } = site.env;
    const sync = (...args: string[]) =>
      runHelper('kolla-db-sync', ['keystone', ...args, ...migration(0)], { env: { KOLLA_DB_SYNC_CONNECTION } });
    const { code, stderr } = await sync();
    assert.equal(code, 69, stderr);
    assert.match(stderr, /ran as account key_stone\d+_m1_[0-9a-f]{6}, and only an admin .*--predecessor-ended 1/);
    assert.equal((await sync('--predecessor-ended', '1')).code, 0);
    assert.equal(runsIn(await site.journal()).length, 2);
  });

  test('is not created by an admin without permission: the command runs as the service', async () => {
    const site = siteOn(mariadb);
    assert.equal((await site.sync(statements())).code, 0);
    await mariadb.query(`CREATE USER looker${site.database}@'%' IDENTIFIED BY 'looks-only'`);
    await mariadb.query(`GRANT PROCESS, CONNECTION ADMIN ON *.* TO looker${site.database}@'%'`);
    await mariadb.query(`GRANT SELECT ON mysql.* TO looker${site.database}@'%'`);
    await mariadb.query(`GRANT SELECT ON ${site.database}.* TO looker${site.database}@'%'`);
    const { code, stderr } = await runHelper(
      'kolla-db-sync',
      ['keystone', '--admin-user', `looker${site.database}`, ...statements()],
      { env: { ...site.env, KOLLA_DB_SYNC_ADMIN_PASSWORD: 'looks-only' } },
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /the command runs as the service's own account: .*1227/);
    assert.match(stderr, new RegExp(`logged in as ${site.database}@`));
  });

  test("has the hosts and TLS requirements of the service's, and privileges only on its databases", async () => {
    const { socket, host, port, rootPassword } = mariadb;
    const ruled = databaseName('ruled');
    for (const sql of [
      `CREATE USER ${ruled}@'10.0.0.%' REQUIRE X509`,
      `CREATE USER ${ruled}@localhost REQUIRE ISSUER '/CN=it''s' AND CIPHER 'AES'`,
      `CREATE USER ${ruled}@'%'`,
    ])
      await mariadb.query(sql);
    const root = { host, port, socket, user: 'root', password: rootPassword, database: 'mysql' };
    await using admin = await connect(root, { signal: new AbortController().signal });
    const own = { user: `${ruled}_m1_000000`, password: randomPassword() };
    await makeAccount(admin, own, { user: ruled, hosts: [] }, ['rul_d']);
    const shown = [];
    for (const at of ["'10.0.0.%'", 'localhost', "'%'"]) {
      const rows = await mariadb.query(`SHOW GRANTS FOR ${own.user}@${at}`);
      const texts = rows.map((row) => String(Object.values(row)[0]).replace(/ IDENTIFIED BY PASSWORD '[^']+'/, ''));
      // From 11.4 on a quote within a value is printed doubled, and as it is before.
      shown.push(texts.map((text) => text.replaceAll("''", "'")));
    }
    const grants = (at: string, rule: string) => [
      `GRANT USAGE ON *.* TO \`${own.user}\`@\`${at}\`${rule}`,
      `GRANT ALL PRIVILEGES ON \`rul\\_d\`.* TO \`${own.user}\`@\`${at}\``,
    ];
    assert.deepEqual(shown, [
      grants('10.0.0.%', ' REQUIRE X509'),
      grants('localhost', " REQUIRE ISSUER '/CN=it's' CIPHER 'AES'"),
      grants('%', ''),
    ]);
    const [stored] = await mariadb.query(
      `SELECT x509_issuer FROM mysql.user WHERE User = '${own.user}' AND Host = 'localhost'`,
    );
    assert.equal(String(stored?.['x509_issuer']), "/CN=it's");
  });

  test('is not created with --migrate-as service', async () => {
    const site = siteOn(mariadb);
    const { stderr } = await site.sync(['--migrate-as', 'service', ...statements()]);
    assert.match(stderr, new RegExp(`logged in as ${site.database}@`));
  });

  test('lets an ALTER TABLE finish within the grace period after SIGTERM', async () => {
    const site = siteOn(mariadb);
    await using reader = await readingBig(site);
    await using begun = await site.begin(['--grace', '60s', ...statements(ALTER)]);
    await altering(site);
    process.kill(begun.running.pid, 'SIGTERM');
    await begun.saying(/terminating/);
    await reader.query('COMMIT');
    assert.equal(await begun.code, 0, begun.said());
    assert.equal((await site.fence())?.['state'], 'done');
    assert.equal(await columns(site), 2);
  });

  test('is dropped after an ALTER TABLE exceeds the grace period: the statement is killed in the server and recorded as interrupted', async () => {
    const site = siteOn(mariadb);
    await using reader = await readingBig(site);
    assert.ok(reader);
    await using begun = await site.begin(['--grace', '100ms', ...statements(ALTER)]);
    await altering(site);
    process.kill(begun.running.pid, 'SIGTERM');
    assert.equal(await begun.code, 143, begun.said());
    assert.equal((await site.fence())?.['state'], 'interrupted');
    assert.deepEqual(await accountsOf(site), []);
    assert.equal(await columns(site), 1);
  });

  const ALTER = 'ALTER TABLE big ADD COLUMN late INT, ALGORITHM=COPY';

  /** A table and a transaction that reads it: an ALTER copies the table and then waits until the transaction ends. */
  async function readingBig(site: Site) {
    const { database } = site;
    const { code, stderr } = await site.sync(
      statements('CREATE TABLE big (n INT) ENGINE=InnoDB', 'INSERT INTO big SELECT seq FROM seq_1_to_300'),
    );
    assert.equal(code, 0, stderr);
    const { socket: socketPath, rootPassword: password } = mariadb;
    const reader = await createConnection({ socketPath, user: 'root', password, database });
    await reader.query('BEGIN');
    await reader.query('SELECT COUNT(*) FROM big');
    return Object.assign(reader, { [Symbol.asyncDispose]: () => reader.end() });
  }

  async function altering({ database }: Site): Promise<void> {
    await until('the ALTER', async () => {
      const rows = await mariadb.query(
        `SELECT 1 FROM information_schema.PROCESSLIST
           WHERE DB = ? AND INFO LIKE 'ALTER TABLE big%' AND STATE LIKE '%metadata lock%'`,
        [database],
      );
      return rows.length > 0 ? true : undefined;
    });
  }

  async function columns({ database }: Site): Promise<number> {
    const query = "SELECT COUNT(*) AS n FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = 'big'";
    return Number((await mariadb.query(query, [database]))[0]?.['n']);
  }
});

function commandLine(pid: string): string[] {
  if (!/^\d+$/.test(pid)) return [];
  try {
    return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
  } catch {
    return [];
  }
}

/** `NAME=value` from the first process whose variable of this name contains the word; '' if there is none. */
function environmentsWith(name: string, word: string): string {
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const found = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .find((pair) => pair.startsWith(`${name}=`) && pair.includes(word));
      if (found !== undefined) return found;
    } catch {
      continue;
    }
  }
  return '';
}
