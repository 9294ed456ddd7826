import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunMariadb, startMariadb, type Mariadb } from '../cluster/mariadb.ts';
import { logLines, runHelper } from '../support/helper.ts';
import { migration, runsIn, siteOn } from './kolla-db-sync-support.ts';

const VERY_SPECIAL = `q'"\\@:/%?#&é€ \`$(x)`;
const skip = (await canRunMariadb()) ?? false;

describe('kolla-db-sync and accounts on MariaDB', { skip, timeout: 120_000, concurrency: 3 }, () => {
  let mariadb: Mariadb;
  before(async () => {
    mariadb = await startMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('grants nothing in databases whose names only look alike', async () => {
    const site = siteOn(mariadb);
    await site.sync(migration(0));
    const [grants] = await mariadb.query(`SHOW GRANTS FOR ${site.database}@'%'`).then((rows) => rows.slice(1));
    assert.match(JSON.stringify(grants), /key\\\\_stone/);
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
});
