import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient, KubeObject } from '../../src/kube/types.ts';
import type { Cache } from '../../src/operator/runtime/cache.ts';
import { conditionOf, type ConditionUpdate } from '../../src/operator/api/conditions.ts';
import type { OpenStack, OpenStackService, OpenStackStatus } from '../../src/operator/api/objects.ts';
import { planOf, wantedServices } from '../../src/operator/openstack/plan.ts';
import type { Preflight } from '../../src/operator/openstack/preflight.ts';
import { reconcileOpenStack } from '../../src/operator/openstack/reconcile.ts';
import { statusOf } from '../../src/operator/openstack/status.ts';
import { Publisher } from '../../src/operator/runtime/publish.ts';
import { applyChange } from '../../src/operator/workload/change.ts';
import { reconcileWorkload } from '../../src/operator/workload/reconcile.ts';
import { recordedLog } from '../support/recorded-log.ts';

const { log } = recordedLog();
const { signal } = new AbortController();
const now = () => new Date();

function cloudAt(release: string, generation: number): OpenStack {
  const metadata = { name: 'cloud', namespace: 'openstack', uid: 'cloud-uid', generation };
  return { metadata, spec: { release, services: { mariadb: {}, keystone: {} } } };
}

/** Its services, ready at a release. */
function servicesAt(release: string): Map<string, OpenStackService> {
  const owner = { apiVersion: '', kind: 'OpenStack', name: 'cloud', uid: 'cloud-uid', controller: true };
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' } as const;
  return new Map(
    wantedServices(cloudAt(release, 1), new Map()).map(({ name, spec }) => {
      const metadata = { name, namespace: 'openstack', uid: name, generation: 1, ownerReferences: [owner] };
      return [name, { metadata, spec, status: { observedGeneration: 1, release, conditions: [ready] } }];
    }),
  );
}

function cacheOf<T extends KubeObject>(objects: ReadonlyMap<string, T>): Cache<T> {
  return { get: (name) => objects.get(name), values: () => objects.values() };
}

/** A client that records what is applied, except status, and may refuse it. */
function clientOf(refusal?: ApiError) {
  const applied: string[] = [];
  const client = {
    apply: (path: string, body: unknown) => {
      if (path.endsWith('/status')) return Promise.resolve(body);
      applied.push(path.split('/').at(-1) ?? '');
      return refusal === undefined ? Promise.resolve(body) : Promise.reject(refusal);
    },
    request: () => Promise.resolve({}),
  } as unknown as KubeClient;
  return { client, applied };
}

async function turn(client: KubeClient, openstacks: Map<string, OpenStack>, onCheck: () => void) {
  const check = async () => {
    onCheck();
    return await Promise.resolve({ status: 'True', reason: 'Passed', message: '' } as const);
  };
  const effects = {
    client,
    publisher: new Publisher(client, 'me', log),
    openstacks: cacheOf(openstacks),
    services: cacheOf(servicesAt('2025.2')),
    preflight: { check } as unknown as Preflight,
    log,
    now,
  };
  return await reconcileOpenStack('cloud', effects, signal);
}

test('an upgrade that is taken back or suspended during its preflight changes nothing', async () => {
  const suspended = cloudAt('2026.1', 3);
  for (const changed of [
    cloudAt('2025.2', 3),
    { ...suspended, spec: { ...suspended.spec, suspend: true } },
    undefined,
  ]) {
    const openstacks = new Map([['cloud', cloudAt('2026.1', 2)]]);
    const { client, applied } = clientOf();
    await turn(client, openstacks, () => {
      if (changed === undefined) openstacks.delete('cloud');
      else openstacks.set('cloud', changed);
    });
    assert.deepEqual(applied, []);
  }
  const { client, applied } = clientOf();
  await turn(client, new Map([['cloud', cloudAt('2026.1', 2)]]), () => {});
  assert.deepEqual(applied, ['mariadb']);
});

test('a preflight that ends with an error is not shown as one that goes on', async () => {
  const statuses: OpenStackStatus[] = [];
  const apply = (_: string, body: { status?: OpenStackStatus }) => {
    if (body.status !== undefined) statuses.push(body.status);
    return Promise.resolve(body);
  };
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' } as const;
  const cloud = { ...cloudAt('2026.1', 2), status: { release: '2025.2', conditions: [ready] } } as OpenStack;
  const failing = turn({ apply } as unknown as KubeClient, new Map([['cloud', cloud]]), () => {
    throw new Error('no connection');
  });
  await assert.rejects(failing, /no connection/);
  const found = statuses.map(({ phase, conditions }) => [phase, conditionOf(conditions, 'Preflight')?.message]);
  assert.deepEqual(found, [
    ['Upgrading', 'preflight: renders all charts'],
    ['Degraded', 'no connection'],
  ]);
});

test('a service that a quota or a policy refuses is tried again without an event', async () => {
  const { client } = clientOf(new ApiError(403, 'exceeded quota'));
  const { requeueAfterMs } = await turn(client, new Map([['cloud', cloudAt('2026.1', 2)]]), () => {});
  assert.ok(requeueAfterMs !== undefined);
});

test('a workload whose change a policy refuses is tried again without an event', async () => {
  const { client } = clientOf(new ApiError(403, 'denied by a webhook'));
  const metadata = { name: 'nova-api', namespace: 'openstack', uid: 'uid', generation: 1 };
  const none = cacheOf(new Map<string, never>());
  const effects = {
    client,
    publisher: new Publisher(client, 'me', log),
    scales: cacheOf(new Map([['nova-api', { metadata, spec: { paused: true } }]])),
    workloads: {
      Deployment: cacheOf(new Map([['nova-api', { metadata }]])),
      StatefulSet: none,
      DaemonSet: none,
      Job: none,
    },
    pods: none,
    now,
  };
  const { requeueAfterMs } = await reconcileWorkload('nova-api', effects, signal);
  assert.ok(requeueAfterMs !== undefined);
});

test('a paused workload that another client has resumed is paused again, and only then', async () => {
  const bodies: KubeObject[] = [];
  const apply = (_: string, body: KubeObject) => (bodies.push(body), Promise.resolve(body));
  const client = { apply } as unknown as KubeClient;
  const metadata = { name: 'ovs', namespace: 'openstack', uid: 'uid', generation: 1 };
  const pauses = [
    ['Deployment', { paused: true }, {}],
    ['StatefulSet', { updateStrategy: { rollingUpdate: { partition: 2 ** 31 - 1 } } }, { updateStrategy: {} }],
    ['DaemonSet', { updateStrategy: { type: 'OnDelete' } }, { updateStrategy: { type: 'RollingUpdate' } }],
  ] as const;
  for (const [kind, paused, resumed] of pauses) {
    const object = { metadata, spec: { kind, paused: true } };
    await applyChange(client, object, { metadata }, signal);
    const { annotations = {} } = bodies.splice(0)[0]!.metadata;
    for (const [spec, applies] of [
      [paused, 0],
      [resumed, 1],
    ] as const) {
      await applyChange(
        client,
        object,
        { metadata: { ...metadata, annotations }, spec: { replicas: 1, ...spec } },
        signal,
      );
      assert.equal(bodies.splice(0).length, applies, `${kind} with ${JSON.stringify(spec)}`);
    }
  }
});

test('a preflight that is not made any more leaves no condition that it fails', () => {
  const services = servicesAt('2025.2');
  const statusAt = (release: string, before: OpenStackStatus | undefined, checked?: ConditionUpdate) => {
    const openstack = cloudAt(release, 2);
    return statusOf(openstack, before, planOf(openstack, services), { checked }, now());
  };
  const failed = statusAt('2026.1', undefined, { status: 'False', reason: 'ChartFails', message: 'keystone: no' });
  assert.equal(conditionOf(failed.conditions, 'Preflight')?.status, 'False');
  assert.equal(conditionOf(statusAt('2025.2', failed).conditions, 'Preflight'), undefined);
  const passed = statusAt('2026.1', undefined, { status: 'True', reason: 'Passed', message: '' });
  assert.equal(conditionOf(statusAt('2026.1', passed).conditions, 'Preflight')?.status, 'True');
});
