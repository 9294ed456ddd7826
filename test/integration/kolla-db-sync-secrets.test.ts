/** No secret appears in the log, on stdout, in the termination log, or in any process's argv. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { databaseName, sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { siteOn } from './kolla-db-sync-support.ts';
import { withPassword } from './kolla-db-sync-ensure-support.ts';

const skip = (await canRunMariadb()) ?? false;

/** The word `canary` can be recognized in any encoding. */
const ADMINS = `canary-a'"\\`;
const SERVICES = `canary-s'"\\%/@:é`;
const OTHER = 'canary-o\ncanary-p';
const BOSS = databaseName('boss');

/** Prints the command lines that name kolla-db-sync, its own database URL, and `the admin` if it has the admin's password. */
const LOOK = `for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < "$f"; echo; done 2>/dev/null | grep kolla-db-sync
printf '%s\\n' "$OS_DATABASE__CONNECTION"; printf '%s' "$KOLLA_DB_SYNC_ADMIN_PASSWORD" | grep -q . && echo the admin
exit 0`;

describe('kolla-db-sync and secrets', { skip }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
    await mariadb.query(
      `CREATE USER ${BOSS} IDENTIFIED BY ?; GRANT ALL PRIVILEGES ON *.* TO ${BOSS} WITH GRANT OPTION`,
      [ADMINS],
    );
  });
  after(() => mariadb[Symbol.asyncDispose]());

  test('no output contains a secret, on success and on failure', async () => {
    await using directory = await privateDirectory('secrets');
    const site = siteOn(mariadb);
    const good = withPassword(site, SERVICES).KOLLA_DB_SYNC_CONNECTION;
    const last = join(directory.path, 'termination-log');
    const told = async (words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> => {
      await writeFile(last, '');
      const given = { KOLLA_DB_SYNC_CONNECTION: good, KOLLA_DB_SYNC_ADMIN_PASSWORD: ADMINS, ...env };
      const args = [...words, '--log-level', 'debug', '--termination-log', last];
      const { code, stdout, stderr } = await runHelper('kolla-db-sync', args, { env: given });
      const said = stdout + stderr + (await readFile(last, 'utf8'));
      assert.doesNotMatch(said, /canary/, `${words.join(' ')}, exit code ${code}`);
      return code;
    };
    const ensure = ['ensure', 'keystone', '--admin-user', BOSS];

    const done = await runHelper(
      'kolla-db-sync',
      ['keystone', '--admin-user', BOSS, '--log-level', 'debug', '--', 'sh', '-c', LOOK],
      { env: { KOLLA_DB_SYNC_CONNECTION: good, KOLLA_DB_SYNC_ADMIN_PASSWORD: ADMINS } },
    );
    assert.equal(done.code, 0, done.stderr);
    assert.match(
      done.stderr,
      new RegExp(`kolla-db-sync keystone --admin-user ${BOSS}`),
      'it did look at the processes',
    );
    assert.match(done.stderr, /"msg":"(?:mysql\+pymysql:[^"]*:)?\*\*\*(?:@[^"]*)?"/, 'it did print its URL');
    assert.doesNotMatch(done.stderr, /"msg":"the admin"/, "the admin's password was handed to the command");
    assert.doesNotMatch(done.stdout + done.stderr, /canary/);

    const other = withPassword(site, OTHER).KOLLA_DB_SYNC_CONNECTION;
    assert.equal(await told(ensure), 0);
    assert.equal(await told(ensure, { KOLLA_DB_SYNC_CONNECTION: other }), 77);
    assert.equal(await told([...ensure, '--rotate'], { KOLLA_DB_SYNC_CONNECTION: other }), 0);
    assert.equal(await told(ensure, { KOLLA_DB_SYNC_ADMIN_PASSWORD: OTHER }), 77);
    assert.equal(await told(['status', 'keystone']), 77);
    for (const wrong of [
      good.replace('mysql+pymysql', 'postgresql'),
      good.replace('@127', '@@127'),
      good.replace(/\/[^/]*$/, ''),
      good.replace(/:\d+\//, ':99999/'),
      good.replace(/%/g, ' '),
      `${good}&ssl_ca=/nowhere/ca.pem`,
      `${good}&ssl_verify_cert=true`,
    ]) {
      assert.equal(await told(ensure, { KOLLA_DB_SYNC_CONNECTION: wrong }), 65, wrong);
    }
    assert.equal(
      await told(ensure, { KOLLA_DB_SYNC_CONNECTION: good.replace(/:\d+\//, ':1/'), KOLLA_DB_SYNC_TIMEOUT: '200ms' }),
      75,
    );
    assert.equal(
      await told([...ensure, '--collation', 'utf8mb4_bin'], {
        KOLLA_DB_SYNC_CONNECTION: good.replaceAll(site.database, 'another'),
      }),
      69,
    );

    const file = join(directory.path, 'keystone.conf');
    await writeFile(file, `[database]\nconnection ${good}\n`);
    const noUrl = { KOLLA_DB_SYNC_CONNECTION: '' };
    assert.equal(await told([...ensure, '--service-config', file], noUrl), 65);
    await writeFile(file, `[database]\nconnection = ${good.replace('mysql', 'pg')}\n`);
    assert.equal(await told([...ensure, '--service-config', file], noUrl), 65);
  });
});
