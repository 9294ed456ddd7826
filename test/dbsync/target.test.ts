import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateFolder } from '../support/folder.ts';
import { runHelper } from '../support/helper.ts';

/** What it says to a command line that it refuses before it needs a server. */
async function refusal(args: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await runHelper('kolla-db-sync', args, { env: { PATH: process.env['PATH'], ...env } });
  return { code, stderr };
}

const URL_FOR_NOBODY = 'mysql://u:hunter2@127.0.0.1:1/d';

test('an unknown service is refused with the nearest one', async () => {
  const { code, stderr } = await refusal(['keyston']);
  assert.equal(code, 64);
  assert.match(stderr, /did you mean 'keystone'/);
});

test('a missing configuration file is named, with what to do', async () => {
  const { code, stderr } = await refusal(['keystone', '--service-config', '/nowhere/keystone.conf', '--', 'true']);
  assert.equal(code, 65);
  assert.match(stderr, /\/nowhere\/keystone\.conf.*KOLLA_DB_SYNC_CONNECTION.*ENOENT/);
});

test('a configuration without the URL is named with section and key', async () => {
  await using folder = await privateFolder('dbsync');
  const file = join(folder.path, 'keystone.conf');
  await writeFile(file, '[DEFAULT]\ndebug = true\n');
  const { code, stderr } = await refusal(['keystone', '--service-config', file, '--', 'true']);
  assert.equal(code, 65);
  assert.match(stderr, /\[database\] connection is not set/);
});

test('a wrong URL is refused without its password', async () => {
  const { code, stderr } = await refusal(['keystone', '--', 'true'], {
    KOLLA_DB_SYNC_CONNECTION: 'postgresql://u:hunter2@h/d',
  });
  assert.equal(code, 65);
  assert.match(stderr, /KOLLA_DB_SYNC_CONNECTION.*postgresql/);
  assert.doesNotMatch(stderr, /hunter2/);
});

test('a password on the command line is refused', async () => {
  const { code, stderr } = await refusal(['keystone', '--connection', URL_FOR_NOBODY]);
  assert.equal(code, 64);
  assert.doesNotMatch(stderr, /hunter2/);
});

test("a service's tool that is not there is missed before anybody waits", async () => {
  const { code, stderr } = await refusal(['keystone'], { KOLLA_DB_SYNC_CONNECTION: URL_FOR_NOBODY, PATH: '/nowhere' });
  assert.equal(code, 69);
  assert.match(stderr, /no program keystone-manage in PATH/);
});

test("an admin's password without an admin is refused", async () => {
  const { code, stderr } = await refusal(['keystone', '--', 'true'], {
    KOLLA_DB_SYNC_CONNECTION: URL_FOR_NOBODY,
    KOLLA_DB_SYNC_ADMIN_PASSWORD: 'hunter2',
  });
  assert.equal(code, 64);
  assert.match(stderr, /without --admin-user/);
});

test('a server that is not there is waited for, and named at the deadline', async () => {
  const { code, stderr } = await refusal(['keystone', '--timeout', '300ms', '--', 'true'], {
    KOLLA_DB_SYNC_CONNECTION: URL_FOR_NOBODY,
  });
  assert.equal(code, 75);
  assert.match(stderr, /waiting for the database server at 127\.0\.0\.1:1: .*ECONNREFUSED/);
  assert.match(stderr, /waited 300ms.*last seen.*ECONNREFUSED/);
});
