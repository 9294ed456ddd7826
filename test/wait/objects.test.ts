import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignalError, UnavailableError, UsageError } from '../../src/core/errors.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient, KubeObject, Observation, SetRef } from '../../src/kube/types.ts';
import { scriptedClient, seen, setOf, wait, type Options, type Script } from './support.ts';

const complete = seen({ status: { conditions: [{ type: 'Complete', status: 'True' }] } });
const broken = seen({ status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] } });
const absent: Observation<KubeObject> = { kind: 'absent' };
const gone = (observation: Observation<KubeObject>): Observation<KubeObject> => ({
  kind: 'deleted',
  object: observation.kind === 'object' ? observation.object : undefined,
});

function waitOn(texts: string | readonly string[], script: Script, options: Options = {}) {
  const client = scriptedClient(script);
  const waited = wait([texts].flat(), { kube: () => Promise.resolve(client), ...options });
  return { ...waited, client };
}

/** The log lines about the dependency, except for the first. */
function states(messages: readonly string[]): string[] {
  return messages.slice(1).map((message) => message.replace(/^.*?: /, '').replace(/ready after \S+: /, 'met: '));
}

test('a failed Job ends the wait with its reason and the command that shows its log', async () => {
  await assert.rejects(waitOn('job/sync', { one: () => [broken] }).done, (error) => {
    assert.ok(error instanceof UnavailableError);
    assert.match(error.message, /^job\/sync failed: BackoffLimitExceeded; .*kubectl -n own logs job\/sync/);
    return true;
  });
});

test('a failed Job may be replaced on request', async () => {
  const script = { one: () => [broken, gone(broken), complete] };
  const { done, messages } = waitOn('job/sync', script, { onFailedJob: 'wait' });
  await done;
  assert.deepEqual(states(messages()), [
    'failed: BackoffLimitExceeded; waiting for another',
    'deleted; waiting for another',
    'met: Complete',
  ]);
});

test('a Job removed by its TTL after its end was Complete, a deleted Pod is not Ready', async () => {
  await waitOn('job/sync', { one: () => [gone(complete)] }).done;
  const ready = seen({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  const { done, messages } = waitOn('pod/sync', { one: () => [gone(ready), ready] });
  await done;
  assert.deepEqual(states(messages()), ['deleted; waiting for another', 'met: Ready']);
});

test('Jobs removed together were Complete only if all of them were', async () => {
  const jobNamed = (name: string, status: object) => ({ status, metadata: { name, labels: { app: 'x' } } });
  const done = { conditions: [{ type: 'Complete', status: 'True' }] };
  const script = {
    set: () => [setOf(jobNamed('a', done), jobNamed('b', { active: 1 })), setOf(), setOf(jobNamed('c', done))],
  };
  const waited = waitOn('job?label=app=x', script);
  await waited.done;
  assert.deepEqual(states(waited.messages()), ['1 of 2; b: 1 active', 'deleted; waiting for another', 'met: 1 of 1']);
});

test('after trouble with the API server the last state is reported again', async () => {
  const script: Script = {
    one: () => [absent, { kind: 'trouble', reason: 'ECONNREFUSED' }, { kind: 'connected' }, complete],
  };
  const { done, messages } = waitOn('job/sync', script);
  await done;
  const none = 'no such Job in namespace own yet';
  assert.deepEqual(states(messages()), [none, 'API server: ECONNREFUSED', none, 'met: Complete']);
});

const lease = (name: string) => `/apis/coordination.k8s.io/v1/namespaces/own/leases/kolla-db-sync-${name}`;
const migrated = { metadata: { name: 'x', annotations: { 'kolla-pod/ready-for': '' } } };

test("an absent Job is replaced by its migration's record, by the derived or given name", async () => {
  await waitOn('job/nova-db-sync', { one: () => [absent], objects: { [lease('nova')]: migrated } }).done;
  await waitOn('job/cell?db-sync=nova', { one: () => [absent], objects: { [lease('nova')]: migrated } }).done;
});

test('for an absent Job not named like a migration no Lease is read, which its Role would not allow', async () => {
  const script = { one: () => [absent], objects: { [lease('sync')]: migrated } };
  const { done, client } = waitOn('job/sync', script, { timeoutMs: 300 });
  await assert.rejects(done, /no such Job in namespace own yet/);
  assert.deepEqual(client.asked, []);
});

test('a record does not replace a Job that a slow watch has not reported yet', async () => {
  const path = '/apis/batch/v1/namespaces/own/jobs/nova-db-sync';
  // The Job of an upgrade, while the record is that of the release before.
  const objects = { [lease('nova')]: migrated, [path]: { metadata: { name: 'nova-db-sync' } } };
  const { done } = waitOn('job/nova-db-sync', { one: () => [absent, broken], objects });
  await assert.rejects(done, /failed: BackoffLimitExceeded/);
});

test('a record replaces an absent Job that may not be read, and one whose first reading has failed', async () => {
  const path = '/apis/batch/v1/namespaces/own/jobs/nova-db-sync';
  const errors = new Map([
    [path, [new ApiError(403, 'no')]],
    [lease('nova'), [new ApiError(429, 'slow down')]],
  ]);
  const scripted = scriptedClient({ one: () => [absent], objects: { [lease('nova')]: migrated } });
  const get: KubeClient['get'] = (asked, options) => {
    const error = errors.get(asked)?.shift();
    return error === undefined ? scripted.get(asked, options) : Promise.reject(error);
  };
  const client = { ...scripted, get };
  await wait(['job/nova-db-sync'], { kube: () => Promise.resolve(client), timeoutMs: 5000 }).done;
});

for (const [record, wanted, says] of [
  [{ 'kolla-pod/state': 'running' }, '', 'running (undefined) of a release without a name'],
  [{ 'kolla-pod/state': 'done', 'kolla-pod/phase': 'contract' }, '', 'done (contract) of a release without a name'],
  [{ 'kolla-pod/ready-for': 'old' }, '?release=new', 'ready for release old, not new; nothing recorded yet'],
  [{ 'kolla-pod/ready-for': '' }, '?release=new', 'ready for a release without a name, not new; nothing recorded yet'],
] as const) {
  test(`a record of ${JSON.stringify(record)} does not replace an absent job/a-db-sync${wanted}, and is reported`, async () => {
    const objects = { [lease('a')]: { metadata: { name: 'x', annotations: record } } };
    const { done, messages, client } = waitOn(
      `job/a-db-sync${wanted}`,
      { one: () => [absent], objects },
      { timeoutMs: 300 },
    );
    await assert.rejects(done, /no such Job in namespace own yet/);
    assert.deepEqual(states(messages()), [`no such Job in namespace own yet; Lease kolla-db-sync-a: ${says}`]);
    assert.deepEqual(client.asked, [lease('a')]);
  });
}

const CONTRACTED = { 'kolla-pod/ready-for': '2026.1', 'kolla-pod/contracted': '2026.1' };
const ofRelease = (release: string) =>
  seen(
    { status: { conditions: [{ type: 'Complete', status: 'True' }] } },
    { labels: { 'app.kubernetes.io/version': release } },
  );

for (const [what, text, observations] of [
  ['Complete Job', 'job/boot?db-sync=a&release=2025.2', [ofRelease('2025.2')]],
  ['Complete Job, by its own release', 'job/a-db-sync', [ofRelease('2025.2')]],
  ['Job that its TTL has removed meanwhile', 'job/a-db-sync?release=2025.2', [gone(ofRelease('2025.2'))]],
  ['missing Job', 'job/a-db-sync?release=2025.2', [absent]],
] as const)
  test(`a schema that is contracted for a newer release refuses a ${what}, also if failed Jobs may be replaced`, async () => {
    const objects = { [lease('a')]: { metadata: { name: 'kolla-db-sync-a', annotations: CONTRACTED } } };
    const { done } = waitOn(text, { one: () => observations, objects }, { onFailedJob: 'wait' });
    await assert.rejects(done, (error) => {
      assert.ok(error instanceof UnavailableError);
      assert.match(error.message, /: Lease kolla-db-sync-a: contract of 2026\.1 has begun, and 2025\.2 does not run/);
      return true;
    });
  });

test('a Complete Job counts if its Lease is missing, not readable, or contracted for the same release', async () => {
  const objects = { [lease('a')]: { metadata: { name: 'kolla-db-sync-a', annotations: CONTRACTED } } };
  await waitOn('job/a-db-sync?release=2026.1', { one: () => [ofRelease('2026.1')], objects }).done;
  await waitOn('job/a-db-sync?release=2026.1', { one: () => [ofRelease('2026.1')] }).done;
  const denied = {
    ...scriptedClient({ one: () => [ofRelease('2025.2')] }),
    get: () => Promise.reject(new ApiError(403, 'no')),
  };
  const kube = () => Promise.resolve(denied);
  const derived = wait(['job/a-db-sync?release=2025.2'], { kube });
  await derived.done;
  assert.equal(
    derived.messages().some((message) => message.includes('cannot read Lease')),
    false,
  );
  const named = wait(['job/x?db-sync=a&release=2025.2'], { kube });
  await named.done;
  assert.ok(named.messages().some((message) => message.startsWith('cannot read Lease kolla-db-sync-a, which tells')));
});

test('a Complete Job counts only once the API server has answered for the Lease', async () => {
  const errors = [new ApiError(500, 'etcd is slow'), new ApiError(429, 'slow down')];
  const scripted = scriptedClient({
    one: () => [ofRelease('2025.2')],
    objects: { [lease('a')]: { metadata: { name: 'kolla-db-sync-a', annotations: CONTRACTED } } },
  });
  const get: KubeClient['get'] = (asked, options) => {
    const error = errors.shift();
    return error === undefined ? scripted.get(asked, options) : Promise.reject(error);
  };
  const { done, messages } = wait(['job/a-db-sync'], { kube: () => Promise.resolve({ ...scripted, get }) });
  await assert.rejects(done, /contract of 2026\.1 has begun/);
  assert.deepEqual(states(messages()).slice(0, 1), [
    'Complete; waiting for Lease kolla-db-sync-a from the API server: etcd is slow',
  ]);
});

test("conditions and JSONPaths replace the kind's default, and all must be true", async () => {
  const text = 'job/sync?condition=suspended&jsonpath={.status.active}=0';
  const of = (status: string, active: number) =>
    seen({ status: { active, conditions: [{ type: 'Suspended', status }] } });
  const { done, messages } = waitOn(text, { one: () => [of('False', 0), of('True', 1), of('True', 0)] });
  await done;
  assert.deepEqual(
    states(messages()),
    ['Suspended=False', '{.status.active}=1', 'met: suspended=True, {.status.active}=0'].map((state) =>
      state.replace('Suspended=False', 'suspended=False'),
    ),
  );
});

test('a condition of an older generation does not count', async () => {
  const of = (observedGeneration: number) =>
    seen({ status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration }] } }, { generation: 2 });
  const { done, messages } = waitOn('widgets.example.org/sync?condition=Ready', {
    one: () => [of(1), of(2)],
    resource: { group: 'example.org', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true },
  });
  await done;
  assert.deepEqual(states(messages()), ['its controller has not seen the latest spec yet', 'met: Ready=True']);
});

test('a negated object counts as absent only once the API server confirms it', async () => {
  const path = '/apis/batch/v1/namespaces/own/jobs/sync';
  const there = { metadata: { name: 'sync' } };
  // A quiet watch may only be slow: the GET shows that the object exists.
  const { done, messages } = waitOn('!job/sync', { one: () => [absent, gone(complete)], objects: { [path]: there } });
  await done;
  assert.deepEqual(states(messages()), ['is there', 'met: no such Job in namespace own']);
});

test('a cluster-scoped kind accepts no namespace', async () => {
  const { done } = waitOn('widgets.example.org/x@ns', {
    resource: { group: 'example.org', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: false },
  });
  await assert.rejects(done, /a Widget has no namespace/);
});

const SECRETS = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };

for (const text of ['SECRETS/db?jsonpath={.data.password}=x', 'SECRETS/db?condition=Ready', 'SECRETS?label=app=x'])
  test(`the content of a Secret is not read, however the resource is spelled: ${text}`, async () => {
    const { done, client } = waitOn(text, { resource: SECRETS });
    await assert.rejects(done, UsageError);
    assert.deepEqual(client.watched, []);
  });

test('a Secret is ready by its metadata, without its content, however the resource is spelled', async () => {
  const asked: (boolean | undefined)[] = [];
  const one: Script['one'] = (_, { metadataOnly }) => {
    asked.push(metadataOnly);
    return [seen({})];
  };
  await waitOn('SECRETS/db', { one, resource: SECRETS }).done;
  assert.deepEqual(asked, [true]);
});

test('up to eight names have their own watches, more share one', async () => {
  const ready = (name: string) => ({
    metadata: { name },
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  });
  const names = (count: number) => Array.from({ length: count }, (_, i) => `j-${i}`);
  const script: Script = {
    one: ({ name }) => [{ kind: 'object', object: ready(name) }],
    set: () => [setOf(...names(9).map(ready))],
  };
  const few = waitOn(
    names(8).map((name) => `job/${name}`),
    script,
  );
  await few.done;
  assert.equal(few.client.watched.length, 8);
  const many = waitOn(
    names(9).map((name) => `job/${name}`),
    script,
  );
  await many.done;
  assert.equal(many.client.watched.length, 1);
  assert.deepEqual((many.client.watched[0] as SetRef).names, names(9));
});

test('two label selectors of one kind and namespace share a watch, a single one is applied by the server', async () => {
  const pod = (name: string, app: string) => ({
    metadata: { name, labels: { app } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const script: Script = { set: () => [setOf(pod('a-1', 'a'), pod('b-1', 'b'))] };
  const two = waitOn(['pod?label=app=a', 'pod@own?label=app=b'], script);
  await two.done;
  assert.deepEqual(two.client.watched, [
    { group: '', version: 'v1', resource: 'pods', namespace: 'own', labelSelector: undefined, names: undefined },
  ]);
  assert.ok(two.messages().some((message) => message.endsWith(': a-1: Ready')));
  const one = waitOn('pod?label=app=a&label=!old', script);
  await one.done;
  assert.equal((one.client.watched[0] as SetRef).labelSelector, 'app=a,!old');
});

test('each Secret has its own metadata-only watch, however many there are', async () => {
  const texts = Array.from({ length: 12 }, (_, i) => `secret/s-${i}`);
  const asked: (boolean | undefined)[] = [];
  const { done, client } = waitOn(texts, {
    one(_, { metadataOnly }) {
      asked.push(metadataOnly);
      return [seen({})];
    },
  });
  await done;
  assert.equal(client.watched.length, 12);
  assert.deepEqual(new Set(asked), new Set([true]));
});

test('node=own selects Pods whose spec names this node', async () => {
  const on = (name: string, nodeName: string) => ({
    metadata: { name, labels: { app: 'x' } },
    spec: { nodeName },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const script: Script = { set: () => [setOf(on('far', 'node2')), setOf(on('far', 'node2'), on('near', 'node1'))] };
  const { done, messages } = waitOn('pod?label=app=x&node=own', script);
  await done;
  assert.deepEqual(states(messages()), ['no such Pod in namespace own yet', 'met: near: Ready']);
});

test('an unknown node is read from our Pod', async () => {
  const path = '/api/v1/namespaces/own/pods/me';
  const script = {
    set: () => [setOf({ metadata: { name: 'x' } })],
    objects: { [path]: { spec: { nodeName: 'node9' } } },
  };
  const self = { podName: 'me', nodeName: undefined, container: undefined, isInCluster: true };
  const { done } = waitOn('node?node=own&condition=Ready', script, { self, timeoutMs: 300 });
  await assert.rejects(done, /no such Node yet/);
  const unknown = waitOn('daemonset/x', {}, { self });
  await assert.rejects(unknown.done, /set NODE_NAME from spec.nodeName \(downward API\), and POD_NAME/);
});

test('the node is resolved once, however many waits need it', async () => {
  const on = (name: string) => ({
    metadata: { name, labels: { app: name } },
    spec: { nodeName: 'node9' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const path = '/api/v1/namespaces/own/pods/me';
  const script = { set: () => [setOf(on('a'), on('b'))], objects: { [path]: { spec: { nodeName: 'node9' } } } };
  const self = { podName: 'me', nodeName: undefined, container: undefined, isInCluster: true };
  const { done, client } = waitOn(['pod?label=app=a&node=own', 'pod?label=app=b&node=own'], script, { self });
  await done;
  assert.deepEqual(client.asked, [path]);
});

test('the container itself is rejected as a dependency, with the reason', async () => {
  const own = seen({ spec: { containers: [{ name: 'main' }], initContainers: [{ name: 'init' }] } });
  const self = { podName: 'me', nodeName: undefined, container: 'init', isInCluster: true };
  const { done } = waitOn('container/init', { one: () => [own] }, { self });
  await assert.rejects(done, (error) => error instanceof UsageError && /our own container/.test(error.message));
});

test('an unrecoverable error of a shared watch ends the wait', async () => {
  const { done } = waitOn('pod?label=app=x', {
    set() {
      throw new UnavailableError('no way');
    },
  });
  await assert.rejects(done, /no way/);
});

test('a signal ends shared and separate watches', async () => {
  const stop = new AbortController();
  const { done, client } = waitOn(
    ['job/sync', 'pod?label=app=x', 'daemonset/d'],
    { one: () => [absent] },
    {
      signal: stop.signal,
      onLine: (line) => {
        if (line.includes('no such Job')) stop.abort(new SignalError('SIGTERM'));
      },
    },
  );
  await assert.rejects(done, SignalError);
  assert.equal(client.watched.length, 3);
});
