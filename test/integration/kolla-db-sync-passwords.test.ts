import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseMysqlUrl } from '../../src/mysql/index.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { sharedMariadb, type SharedMariadb } from '../servers/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { ensure, withPassword } from './kolla-db-sync-ensure-support.ts';
import { siteOn } from './kolla-db-sync-support.ts';

const skip = (await canRunMariadb()) ?? false;

/** Characters that hand-written SQL, URLs, shells, logs and protocols get wrong. */
const HOSTILE: Readonly<Record<string, string>> = {
  'quotes of all kinds': `q'"\`''""`,
  backslashes: "\\'; DROP TABLE x -- \\",
  'URL delimiters': 'a:b/c?d#e@f&g=h',
  'percent signs': '100%s %d %(x)s %%',
  'a space and line breaks': ' a b\nc\r\nd\t',
  'control characters': 'a\u0001b\u001ac\u007f\u0008',
  NUL: 'before\0after',
  'characters that a shell expands': '$(id) `id` ${HOME} !! ; | & >x',
  'non-ASCII letters': 'äß\u00e9€\u4e2d\u05d0',
  emoji: '\u{1F600}\u{1F469}\u200d\u{1F4BB}',
  '1 KiB': 'x9%'.repeat(341) + 'y',
  'a single character': '0',
};

describe('kolla-db-sync and passwords', { skip, concurrency: 3 }, () => {
  let mariadb: SharedMariadb;
  before(async () => {
    mariadb = await sharedMariadb();
  });
  after(() => mariadb[Symbol.asyncDispose]());

  for (const [what, password] of Object.entries(HOSTILE)) {
    test(`a password may contain ${what}: from a URL, from a file, and set by --rotate`, async () => {
      await using directory = await privateDirectory('password');
      const site = siteOn(mariadb);
      const url = withPassword(site, password).KOLLA_DB_SYNC_CONNECTION;
      assert.equal(parseMysqlUrl(url).password, password);
      const made = await ensure(site, [], { KOLLA_DB_SYNC_CONNECTION: url });
      assert.equal(made.code, 0, made.stderr);
      assert.match(made.stderr, /account .* created/);
      const file = join(directory.path, 'url');
      await writeFile(file, `${url}\n`);
      const read = await ensure(site, ['--connection-file', file], { KOLLA_DB_SYNC_CONNECTION: '' });
      assert.equal(read.code, 0, read.stderr);
      await mariadb.query(`ALTER USER ${site.database} IDENTIFIED BY 'another'`);
      const rotated = await ensure(site, ['--rotate'], { KOLLA_DB_SYNC_CONNECTION: url });
      assert.equal(rotated.code, 0, rotated.stderr);
    });
  }

  test("the admin's password may contain anything too, in a file and in the environment", async () => {
    await using directory = await privateDirectory('password');
    const site = siteOn(mariadb);
    const [admin, password] = [`${site.database}-admin`, Object.values(HOSTILE).join('')];
    await mariadb.query(
      `CREATE USER '${admin}' IDENTIFIED BY ?; GRANT ALL PRIVILEGES ON *.* TO '${admin}' WITH GRANT OPTION`,
      [password],
    );
    const file = join(directory.path, 'password');
    await writeFile(file, `${password}\n`);
    const { KOLLA_DB_SYNC_CONNECTION } = site.env;
    const args = ['ensure', 'keystone', '--admin-user', admin];
    const read = await runHelper('kolla-db-sync', [...args, '--admin-password-file', file], {
      env: { KOLLA_DB_SYNC_CONNECTION },
    });
    assert.equal(read.code, 0, read.stderr);
  });
});
