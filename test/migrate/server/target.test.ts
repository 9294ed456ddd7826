import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { runHelper, startHelper } from '../../support/helper.ts';
import { until } from '../../support/until.ts';

/** Runs kolla-db-sync, for which no database server is available. */
async function refusal(args: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await runHelper('kolla-db-sync', args, { env: { PATH: process.env['PATH'], ...env } });
  return { code, stderr };
}

const UNREACHABLE_URL = 'mysql://u:hunter2@127.0.0.1:1/d';

test('an unknown service is rejected with the nearest one', async () => {
  const { code, stderr } = await refusal(['keyston']);
  assert.equal(code, 64);
  assert.match(stderr, /did you mean 'keystone'/);
});

test('a missing configuration file is reported, with the fix', async () => {
  const { code, stderr } = await refusal(['keystone', '--service-config', '/nowhere/keystone.conf', '--', 'true']);
  assert.equal(code, 65);
  assert.match(stderr, /\/nowhere\/keystone\.conf.*KOLLA_DB_SYNC_CONNECTION.*no such file or directory/);
});

test('a configuration without the URL is reported with section and key', async () => {
  await using directory = await privateDirectory('dbsync');
  const file = join(directory.path, 'keystone.conf');
  await writeFile(file, '[DEFAULT]\ndebug = true\n');
  const { code, stderr } = await refusal(['keystone', '--service-config', file, '--', 'true']);
  assert.equal(code, 65);
  assert.match(stderr, /\[database\] connection is not set/);
});

test('an invalid URL is rejected without its password', async () => {
  const { code, stderr } = await refusal(['keystone', '--', 'true'], {
    KOLLA_DB_SYNC_CONNECTION: 'postgresql://u:hunter2@h/d',
  });
  assert.equal(code, 65);
  assert.match(stderr, /KOLLA_DB_SYNC_CONNECTION.*postgresql/);
  assert.doesNotMatch(stderr, /hunter2/);
});

test('a password on the command line is rejected', async () => {
  const { code, stderr } = await refusal(['keystone', '--connection', UNREACHABLE_URL]);
  assert.equal(code, 64);
  assert.doesNotMatch(stderr, /hunter2/);
});

test('a missing tool of the service is reported before any wait', async () => {
  const { code, stderr } = await refusal(['keystone'], { KOLLA_DB_SYNC_CONNECTION: UNREACHABLE_URL, PATH: '/nowhere' });
  assert.equal(code, 69);
  assert.match(stderr, /no program keystone-manage in PATH/);
});

test('an admin password without an admin user is rejected', async () => {
  const { code, stderr } = await refusal(['keystone', '--', 'true'], {
    KOLLA_DB_SYNC_CONNECTION: UNREACHABLE_URL,
    KOLLA_DB_SYNC_ADMIN_PASSWORD: 'hunter2',
  });
  assert.equal(code, 64);
  assert.match(stderr, /without --admin-user/);
});

for (const words of [
  ['keystone', '--', 'true'],
  ['ensure', 'keystone'],
])
  test(`an admin user without its password is rejected before any wait: ${words[0]}`, async () => {
    const env = { KOLLA_DB_SYNC_CONNECTION: UNREACHABLE_URL, KOLLA_DB_SYNC_ADMIN_USER: 'root' };
    const { code, stderr } = await refusal(words, env);
    assert.equal(code, 64, stderr);
    assert.match(
      stderr,
      /--admin-user is given without its password: set KOLLA_DB_SYNC_ADMIN_PASSWORD or give --admin-password-file; without a password use --admin-socket or --admin-cert-file"/,
    );
    assert.doesNotMatch(stderr, /waiting/);
    // A server may accept an account without one over its socket.
    const bySocket = { ...env, KOLLA_DB_SYNC_ADMIN_SOCKET: '/nowhere/mysql.sock', KOLLA_DB_SYNC_TIMEOUT: '1s' };
    assert.equal((await refusal(words, bySocket)).code, 75);
  });

test('a missing server is waited for, and named at the deadline', async () => {
  const { code, stderr } = await refusal(['keystone', '--timeout', '3s', '--', 'true'], {
    KOLLA_DB_SYNC_CONNECTION: UNREACHABLE_URL,
  });
  assert.equal(code, 75);
  assert.match(stderr, /waiting for the database server at 127\.0\.0\.1:1: .*ECONNREFUSED/);
  assert.match(stderr, /waited 3s.*last seen.*ECONNREFUSED/);
});

test('a phase of a single-step tool is rejected, with the reason', async () => {
  const { code, stderr } = await refusal(['heat', '--phase', 'expand'], { KOLLA_DB_SYNC_CONNECTION: UNREACHABLE_URL });
  assert.equal(code, 64);
  assert.match(stderr, /heat is migrated in one step.*no --phase expand/);
});

test('a phase that a service lacks needs no server', async () => {
  const { code, stderr } = await refusal(['cinder', '--phase', 'migrate']);
  assert.equal(code, 0);
  assert.match(stderr, /cinder has no phase migrate: nothing to do/);
});

test('a URL in a configuration file that is a program must be given', async () => {
  const { code, stderr } = await refusal(['horizon']);
  assert.equal(code, 65);
  assert.match(stderr, /horizon .*set KOLLA_DB_SYNC_CONNECTION/);
});

test('the first of several options that is set has the URL', async () => {
  await using directory = await privateDirectory('dbsync');
  const file = join(directory.path, 'murano.conf');
  await writeFile(file, `[DEFAULT]\nsql_connection = ${UNREACHABLE_URL}\n`);
  const config = join(directory.path, 'kolla-pod.yaml');
  const url = [
    { section: 'database', key: 'connection' },
    { section: 'DEFAULT', key: 'sql_connection' },
  ];
  const migration = { phases: { all: [{ argv: ['murano-db-manage', 'upgrade'] }] } };
  const murano = { configFile: '/etc/murano/murano.conf', databases: [{ name: 'murano', url }], migration };
  // The file is JSON, which is also YAML.
  await writeFile(config, JSON.stringify({ services: { murano } }));
  const args = ['murano', '--config', config, '--service-config', file, '--timeout', '200ms', '--', 'true'];
  const { code, stderr } = await refusal(args);
  assert.equal(code, 75, stderr);
  assert.match(stderr, /database URL from .*murano\.conf: \[DEFAULT\] sql_connection/);
});

test('an option that supported releases of Barbican do not read has no URL', async () => {
  await using directory = await privateDirectory('dbsync');
  const file = join(directory.path, 'barbican.conf');
  await writeFile(file, `[DEFAULT]\nsql_connection = ${UNREACHABLE_URL}\n`);
  const { code, stderr } = await refusal(['barbican', '--service-config', file, '--', 'true']);
  assert.equal(code, 65);
  assert.match(stderr, /barbican\.conf: \[database\] connection is not set/);
});

test('with an admin the URL of every database is needed', async () => {
  await using directory = await privateDirectory('dbsync');
  const file = join(directory.path, 'nova.conf');
  await writeFile(file, `[api_database]\nconnection = ${UNREACHABLE_URL}\n`);
  const { code, stderr } = await refusal(['nova', '--service-config', file, '--admin-user', 'root', '--', 'true']);
  assert.equal(code, 65);
  assert.match(stderr, /nova\.conf: \[database\] connection is not set/);
});

test('a service of kolla-pod.yaml is found by its name', async () => {
  await using directory = await privateDirectory('dbsync');
  const file = join(directory.path, 'kolla-pod.yaml');
  const murano = { databases: [], migration: { phases: { all: [{ argv: ['murano-db-manage', 'upgrade'] }] } } };
  // The file is JSON, which is also YAML.
  await writeFile(file, JSON.stringify({ services: { murano } }));
  const { code, stderr } = await refusal(['murano', '--config', file], { KOLLA_DB_SYNC_CONNECTION: UNREACHABLE_URL });
  assert.equal(code, 69);
  assert.match(stderr, /no program murano-db-manage/);
});

test('an invalid service of kolla-pod.yaml is rejected with its location', async () => {
  await using directory = await privateDirectory('dbsync');
  const file = join(directory.path, 'kolla-pod.yaml');
  await writeFile(file, 'services:\n  murano:\n    databases: []\n');
  const { code, stderr } = await refusal(['keystone', '--config', file]);
  assert.equal(code, 65);
  assert.match(stderr, /kolla-pod\.yaml: services\.murano\.migration: is missing/);
});

test('a wait for a missing server ends at once on SIGTERM', async () => {
  const env = { PATH: process.env['PATH'], KOLLA_DB_SYNC_CONNECTION: UNREACHABLE_URL };
  await using running = await startHelper('kolla-db-sync', ['keystone', '--', 'true'], { env, keepOutput: true });
  let said = '';
  running.child.stdout?.resume();
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('it to wait', async () => (said.includes('waiting for the database') ? true : undefined));
  process.kill(running.pid, 'SIGTERM');
  assert.equal(await running.ended, 143);
  assert.match(said, /ended by SIGTERM/);
});
