import assert from 'node:assert/strict';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { logLines, runHelper } from '../../support/helper.ts';
import { clusterAnswering } from '../../toolbox/stages/cluster.ts';
import { status, type Handler } from '../../kube/support.ts';

/** Runs the check against an API server with these responses. */
async function probe(
  answer: Handler,
  more: readonly string[] = [],
  timeout = '5m',
): Promise<{ code: number; msg: string }> {
  await using directory = await privateDirectory('db-sync');
  await using stack = new AsyncDisposableStack();
  const env = await clusterAnswering(answer, directory.path, stack);
  const { code, stderr } = await runHelper('kolla-probe', ['db-sync', 'keystone', '--timeout', timeout, ...more], {
    env,
  });
  return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
}

const lease =
  (annotations: Readonly<Record<string, string>>): Handler =>
  (_, response) =>
    void response.end(JSON.stringify({ metadata: { name: 'kolla-db-sync-keystone', annotations } }));

const READY = { 'kolla-pod/ready-for': '2026.1' };
const RUNS = { 'kolla-pod/state': 'running', 'kolla-pod/phase': 'expand', 'kolla-pod/release': '2026.2' };

test('a ready schema is healthy, for any release or for the given one', async () => {
  assert.deepEqual(await probe(lease(READY)), { code: 0, msg: '' });
  assert.deepEqual(await probe(lease({ ...RUNS, ...READY }), ['--release', '2026.1']), { code: 0, msg: '' });
});

test('a schema that is not ready is unhealthy, with the current state', async () => {
  const { code, msg } = await probe(lease({ ...RUNS, ...READY }), ['--release', '2026.2']);
  assert.equal(code, 1);
  assert.equal(
    msg,
    'db-sync keystone: Lease kolla-db-sync-keystone: ready for release 2026.1, not 2026.2; running (expand) of release 2026.2',
  );
});

test('a missing and an unreadable Lease are distinguished', async () => {
  const none = await probe(status(404, 'not found'));
  assert.equal(none.code, 1);
  assert.match(none.msg, /no migration by kolla-db-sync yet/);
  const refused = await probe(status(403, 'leases is forbidden'));
  assert.equal(refused.code, 1);
  assert.match(refused.msg, /leases is forbidden; its Role must allow get on leases/);
});

test('an unresponsive API server is named at the deadline', async () => {
  const { code, msg } = await probe(() => {}, [], '2s');
  assert.equal(code, 1);
  assert.match(
    msg,
    /^db-sync keystone: no response in 2s: the API server https:\/\/127\.0\.0\.1:\d+\/? does not respond$/,
  );
});

test('a liveness check of the API server or the database is rejected', async () => {
  const { code, msg } = await probe(lease(READY), ['--role', 'liveness']);
  assert.equal(code, 64);
  assert.match(msg, /contacts the API server, which is not this Pod/);
  const words = ['db-sync', 'keystone', '--server', 'mariadb', '--user', 'x', '--role', 'liveness'];
  assert.match((await runHelper('kolla-probe', words)).stderr, /contacts mariadb, which is not this Pod/);
});

test('an API server or a database is required', async () => {
  const { code, stderr } = await runHelper('kolla-probe', ['db-sync', 'keystone']);
  assert.equal(code, 64);
  assert.match(stderr, /give --kubeconfig, mount a ServiceAccount, or query the database with --server/);
});
