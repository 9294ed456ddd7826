import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NotPermittedError } from '../../src/core/errors.ts';
import { reach } from '../../src/migrate/server/reach.ts';
import { parseMysqlUrl } from '../../src/mysql/index.ts';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { runHelper } from '../support/helper.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { ensure, withPassword } from './kolla-db-sync-ensure-support.ts';
import { migration, siteOn } from './kolla-db-sync-support.ts';

const skip = (await canRunMariadb()) ?? false;

/** The server's counters of statements that change data, and the end of its binary log. */
async function changesOn(mariadb: Mariadb): Promise<unknown[]> {
  const counted = await mariadb.query(
    `SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_create_db', 'Com_create_user', 'Com_alter_user', 'Com_alter_db',
       'Com_grant', 'Com_set_password', 'Com_insert', 'Com_update', 'Com_create_table')`,
  );
  return [counted, await mariadb.query('SHOW MASTER STATUS')];
}

// The tests run one after the other, because the counters are global to the server.
describe('kolla-db-sync and accounts on MariaDB', { skip }, () => {
  let mariadb: Mariadb;
  before(async () => {
    mariadb = await startMariadb({ extraArgs: ['--log-bin', '--server-id=1', '--skip-ssl'] });
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('grants nothing on databases with similar names', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    const [grants] = await mariadb.query(`SHOW GRANTS FOR ${site.database}@'%'`).then((rows) => rows.slice(1));
    assert.match(JSON.stringify(grants), /key\\\\_stone/);
  });

  test('does not change database and account without an admin, and logs that', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    const { KOLLA_DB_SYNC_CONNECTION } = site.env;
    const { code, stderr } = await runHelper('kolla-db-sync', ['keystone', ...migration(0)], {
      env: { KOLLA_DB_SYNC_CONNECTION },
    });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /not changed/);
  });

  test('without a database or an admin account reports what is missing', async () => {
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

  test('rejects an account with another password, and does not change it', async () => {
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

  test('reports a rejected password as such, although the timeout ends while it is retried', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    const target = parseMysqlUrl(site.env['KOLLA_DB_SYNC_CONNECTION'] ?? '');
    // Long enough for one attempt on a busy machine. A run retries only for 3 s.
    const times = { timeoutMs: 20_000, settleMs: 3_600_000 };
    const rejects = async (user: string) => {
      const { log, said } = recordedLog('info');
      const options = { ...times, signal: new AbortController().signal, log, galeraDonor: 'ok' } as const;
      await assert.rejects(reach({ ...target, user, password: 'hunter2' }, options), (error) => {
        assert.ok(error instanceof NotPermittedError, String(error));
        assert.match(error.message, new RegExp(`cannot log in as ${user}@127.*error 1045`));
        return true;
      });
      assert.match(said(), /waiting for the database server at .*error 1045/);
    };
    await Promise.all(['root', site.database].map(rejects));
  });

  test('rejects a wrong admin password', async () => {
    const { code, stderr } = await siteOn(mariadb).sync(migration(0), { KOLLA_DB_SYNC_ADMIN_PASSWORD: 'hunter2' });
    assert.equal(code, 77);
    assert.match(stderr, /cannot log in as root@127.*error 1045/);
    assert.doesNotMatch(stderr, /hunter2/);
  });

  test('a second run writes nothing: the server counts no statement, and its binary log is unchanged', async () => {
    const site = siteOn(mariadb);
    const args = ['--account-host', '%', '--account-host', '10.0.0.%', '--require', 'none'];
    const first = await ensure(site, args);
    assert.equal(first.code, 0, first.stderr);
    const then = await changesOn(mariadb);
    const { code, stderr } = await ensure(site, args);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await changesOn(mariadb), then);
    assert.match(stderr, /are up to date: nothing was changed/);
  });

  test('creates an account for each host, with the same grants', async () => {
    const site = siteOn(mariadb);
    const { code, stderr } = await ensure(site, [], { KOLLA_DB_SYNC_ACCOUNT_HOST: '127.0.0.1,10.0.0.%' });
    assert.equal(code, 0, stderr);
    const accounts = await mariadb.query('SELECT Host AS host FROM mysql.user WHERE User = ? ORDER BY 1', [
      site.database,
    ]);
    assert.deepEqual(
      accounts.map(({ host }) => host as string),
      ['10.0.0.%', '127.0.0.1'],
    );
    for (const host of ['10.0.0.%', '127.0.0.1']) {
      const grants = await mariadb.query(`SHOW GRANTS FOR ${site.database}@'${host}'`);
      assert.match(JSON.stringify(grants), /GRANT ALL PRIVILEGES ON `key/);
    }
  });

  test('names an account that the server matches instead', async () => {
    const site = siteOn(mariadb);
    await mariadb.query(`CREATE USER ${site.database}@'127.0.0.1' IDENTIFIED BY 'of another one'`);
    const { code, stderr } = await ensure(site, ['--rotate']);
    assert.equal(code, 77);
    assert.match(stderr, /just created and is rejected: .*matches another account, 'key_stone\d+'@'127\.0\.0\.1'/);
  });

  test('--rotate sets a rejected password, and keeps an accepted one', async () => {
    const site = siteOn(mariadb);
    assert.equal((await ensure(site)).code, 0);
    const then = await changesOn(mariadb);
    assert.equal((await ensure(site, ['--rotate'])).code, 0);
    assert.deepEqual(await changesOn(mariadb), then);
    const { code, stderr } = await ensure(site, ['--rotate'], withPassword(site, "new'one"));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /was changed to the URL's/);
    assert.equal((await ensure(site, [], withPassword(site, "new'one"))).code, 0);
    assert.equal((await ensure(site)).code, 77);
  });

  test('TLS requirements change only on request, and only if they differ', async () => {
    const site = siteOn(mariadb);
    const type = async () =>
      (await mariadb.query('SELECT ssl_type FROM mysql.user WHERE User = ?', [site.database]))[0]?.[
        'ssl_type'
      ] as string;
    assert.equal((await ensure(site)).code, 0);
    await mariadb.query(`ALTER USER ${site.database} REQUIRE SSL`);
    const left = await ensure(site, ['--rotate']);
    assert.equal(left.code, 77);
    assert.match(left.stderr, /must use TLS, and the database URL has none: add ssl_ca=FILE/);
    assert.equal(await type(), 'ANY');
    const asked = await ensure(site, ['--require', 'none']);
    assert.equal(asked.code, 0, asked.stderr);
    assert.match(asked.stderr, /altered to REQUIRE none, from ssl/);
    assert.equal(await type(), '');
    assert.equal((await ensure(site)).code, 0, 'its password was not changed');
  });

  test('does not create an account whose URL could not be used', async () => {
    const site = siteOn(mariadb);
    const { code, stderr } = await ensure(site, ['--require', 'x509']);
    assert.equal(code, 65);
    assert.match(stderr, /--require x509, but the database URL \(KOLLA_DB_SYNC_CONNECTION\) has no TLS/);
    assert.deepEqual(await mariadb.query('SELECT 1 FROM mysql.user WHERE User = ?', [site.database]), []);
  });

  test('an admin who cannot read the accounts creates them anyway', async () => {
    const site = siteOn(mariadb);
    await mariadb.query(`CREATE USER '${site.database}-admin' IDENTIFIED BY 'a'; GRANT CREATE USER ON *.* TO '${site.database}-admin';
      GRANT ALL PRIVILEGES ON \`${site.database}\`.* TO '${site.database}-admin' WITH GRANT OPTION`);
    const run = () =>
      runHelper('kolla-db-sync', ['ensure', 'keystone', '--admin-user', `${site.database}-admin`], {
        env: { ...site.env, KOLLA_DB_SYNC_ADMIN_PASSWORD: 'a' },
      });
    for (const { code, stderr } of [await run(), await run()]) assert.equal(code, 0, stderr);
  });
});
