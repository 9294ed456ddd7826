import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_OPTIONS, SECRET_VARIABLES } from '../../src/bootstrap/options.ts';
import { runHelper } from '../support/helper.ts';

test('no flag or variable of a job is defined twice, although three capabilities have their own options', () => {
  for (const key of ['flag', 'env'] as const) {
    const words = JOB_OPTIONS.map((option) => option[key]);
    assert.deepEqual([...new Set(words)], words);
  }
});

test("no child of a job gets secrets of Keystone, RabbitMQ or the database's admin", () => {
  for (const name of ['OS_PASSWORD', 'KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD', 'KOLLA_DB_SYNC_ADMIN_PASSWORD'])
    assert.ok(SECRET_VARIABLES.includes(name), name);
});

test('a job whose configuration file is missing reports the file, and how to skip the parts that need it', async () => {
  const env = { KOLLA_BOOTSTRAP_SERVICE_CONFIG: '/nowhere/glance-api.conf' };
  const { code, stderr } = await runHelper('kolla-bootstrap', ['glance'], { env });
  assert.equal(code, 65);
  assert.match(stderr, /cannot read \/nowhere\/glance-api\.conf.*--only queue --only users --only endpoints/);
});

test('an invalid wait is rejected before anything else', async () => {
  const { code, stderr } = await runHelper('kolla-bootstrap', ['glance', '--wait', 'jub/keystone'], { env: {} });
  assert.equal(code, 64);
  assert.match(stderr, /jub/);
});

test('an unknown part is rejected with the nearest one', async () => {
  const { code, stderr } = await runHelper('kolla-bootstrap', ['glance', '--only', 'scheme'], { env: {} });
  assert.equal(code, 64);
  assert.match(stderr, /schema/);
});

test('a requested part without a database is not skipped as done', async () => {
  const { code, stderr } = await runHelper('kolla-bootstrap', ['ceilometer', '--only', 'schema'], { env: {} });
  assert.equal(code, 65);
  assert.match(stderr, /for the lock that schema needs: set KOLLA_DB_SYNC_CONNECTION/);
});

test("an admin user without its password is rejected before the job's waits", async () => {
  const env = {
    KOLLA_DB_SYNC_CONNECTION: 'mysql://u:hidden@127.0.0.1:1/d',
    KOLLA_DB_SYNC_ADMIN_USER: 'root',
    KOLLA_BOOTSTRAP_WAIT: 'tcp://127.0.0.1:1',
    KOLLA_BOOTSTRAP_TIMEOUT: '3s',
  };
  const { code, stderr } = await runHelper('kolla-bootstrap', ['glance', '--only', 'database'], { env });
  assert.equal(code, 64, stderr);
  assert.match(stderr, /--admin-user is given without its password/);
});
