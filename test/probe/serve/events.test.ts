import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../src/kube/api-error.ts';
import type { KubeClient } from '../../../src/kube/types.ts';
import { leaveEvents } from '../../../src/probe/serve/events.ts';
import type { Change } from '../../../src/probe/serve/resident-check.ts';
import type { Part, State } from '../../../src/probe/serve/part.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { until } from '../../support/until.ts';

interface Posted {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Events to an API server that answers as the test says; a real one is asked in test/integration. */
function events(answer: (n: number) => Promise<void>) {
  const posted: Posted[] = [];
  let asked = 0;
  const client = {
    namespace: 'openstack',
    async request(_: string, path: string, body: Posted['body']) {
      await answer(++asked);
      posted.push({ path, body });
    },
  } as unknown as KubeClient;
  const { log, said } = recordedLog('info');
  const target = { kube: () => Promise.resolve(client), podName: 'keystone-0', podUid: 'u1' };
  return { ...leaveEvents(target, log), posted, said, asked: () => asked };
}

function change(state: State, from: State = 'healthy', reason = 'status 503'): Change {
  const part: Part = { name: 'api', roles: ['readiness'], state, reason, since: 0 };
  return { part, subject: 'tcp [::1]:5000', from, lastedMs: 125_000 };
}

const all = (told: { posted: Posted[] }, n: number) =>
  until(`${n} Events`, async () => (told.posted.length === n ? true : undefined));

test('a check that becomes unhealthy is a Warning on the own Pod, with reason and how long it had been well', async () => {
  await using told = events(() => Promise.resolve());
  told.tell(change('unhealthy'));
  await all(told, 1);
  const [{ path, body } = { path: '', body: {} }] = told.posted;
  assert.equal(path, '/apis/events.k8s.io/v1/namespaces/openstack/events');
  assert.deepEqual(body['regarding'], {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: 'openstack',
    name: 'keystone-0',
    uid: 'u1',
  });
  assert.deepEqual(
    ['type', 'reason', 'note', 'reportingController'].map((key) => body[key]),
    [
      'Warning',
      'CheckUnhealthy',
      'api is unhealthy: status 503; it had been healthy for 2m05s; asked: tcp [::1]:5000',
      'kolla-probe',
    ],
  );
});

test('one that recovers is a Normal one; one that is well from the start is none', async () => {
  await using told = events(() => Promise.resolve());
  told.tell(change('healthy', 'unknown'));
  told.tell(change('healthy', 'unhealthy'));
  await all(told, 1);
  assert.deepEqual([told.posted[0]?.body['type'], told.posted[0]?.body['reason']], ['Normal', 'CheckHealthy']);
});

test('a refusal is said once with what to do, and nobody is asked again', async () => {
  await using told = events(() => Promise.reject(new ApiError(403, 'events is forbidden: User "x" cannot create')));
  told.tell(change('unhealthy'));
  await until('the word', async () => (told.said() === '' ? undefined : true));
  for (let i = 0; i < 5; i++) told.tell(change('unhealthy'));
  await told[Symbol.asyncDispose]();
  assert.equal(told.asked(), 1);
  assert.match(told.said(), /^\{[^\n]*events is forbidden[^\n]*kolla-probe rbac[^\n]*\}\n$/);
});

test('a server that is away is asked again, and said once', async () => {
  await using told = events((n) => (n === 1 ? Promise.reject(new Error('ECONNREFUSED')) : Promise.resolve()));
  told.tell(change('unhealthy'));
  await all(told, 1);
  assert.equal(told.said().split('\n').length - 1, 1);
});

test('what changes all the time leaves a bounded number of them', async () => {
  await using told = events(() => Promise.resolve());
  for (let i = 0; i < 100; i++) {
    told.tell(change('unhealthy'));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all(told, 25);
});

test('nobody waits for a server that never answers, not even at the end', async () => {
  const told = events(() => new Promise(() => {}));
  for (let i = 0; i < 100; i++) told.tell(change('unhealthy'));
  await told[Symbol.asyncDispose]();
  assert.equal(told.asked(), 1);
});

test('a long reason is cut to what the API takes', async () => {
  await using told = events(() => Promise.resolve());
  told.tell(change('unhealthy', 'healthy', 'é'.repeat(2000)));
  await all(told, 1);
  const note = told.posted[0]?.body['note'];
  assert.ok(typeof note === 'string' && Buffer.byteLength(note) <= 1024);
});
