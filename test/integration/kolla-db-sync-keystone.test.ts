import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { canRunKeystone } from '../cluster/keystone.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { keystoneSite } from './kolla-db-sync-keystone-support.ts';

const skip = (await canRunKeystone()) ?? (await canRunMariadb()) ?? false;

describe("kolla-db-sync and Keystone's own db_sync", { skip }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('only one of three concurrent runs migrates the schema, and Keystone finds it complete', async () => {
    await using site = await keystoneSite(mariadb);
    // The password contains no %, because Keystone passes its URL to alembic's ConfigParser, which treats % as
    // interpolation and fails.
    await site.configure({ password: "p:/s's!" });
    const { sync } = site;
    const all = await Promise.all([sync(), sync(), sync()]);
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0],
      all.map(({ stderr }) => stderr).join('\n'),
    );
    assert.equal(all.filter(({ stderr }) => /"msg":"nothing to do/.test(stderr)).length, 2);
    assert.equal(await site.check(), 0);
  });

  test("its upgrade runs phase by phase, and Keystone's own check reports the next one after each", async () => {
    await using site = await keystoneSite(mariadb);
    const { sync, check } = site;
    // Keystone's check needs an existing database, as it is in the Job.
    await mariadb.query(`CREATE DATABASE ${site.database}; CREATE USER ${site.database} IDENTIFIED BY 'pw-of-keystone';
      GRANT ALL ON ${site.database}.* TO ${site.database}`);
    assert.equal(await check(), 2, 'an empty database is to be expanded');

    assert.equal((await sync('--phase', 'expand')).code, 0);
    assert.equal(await check(), 4, 'contract is the next phase');
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

  test('a second run asks Keystone itself, takes no lock and leaves no trace', async () => {
    await using site = await keystoneSite(mariadb);
    assert.equal((await site.sync('--release', '2026.1')).code, 0);
    const then = await site.records();
    const { code, stderr } = await site.sync('--release', '2026.1');
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /nothing to do: token 1 has done it, and keystone-manage db_sync --check \(exit code 0\) agrees/,
    );
    assert.doesNotMatch(stderr, /running /);
    assert.deepEqual(await site.records(), then);
  });

  test('a schema without its version does not count as done; existing objects are reported, and recorded', async () => {
    await using site = await keystoneSite(mariadb);
    assert.equal((await site.sync()).code, 0);
    await mariadb.query(`DELETE FROM ${site.database}.alembic_version`);
    const { code, stderr } = await site.sync();
    assert.equal(code, 65);
    assert.match(
      stderr,
      /the migration failed: keystone-manage exited with code 1: error 1050 .*already exists.*partially applied/,
    );
    const [{ state, output } = {}] = await site.records();
    assert.equal(state, 'failed');
    assert.match(String(output), /\(1050, "Table '\w+' already exists"\)/);
  });
});
