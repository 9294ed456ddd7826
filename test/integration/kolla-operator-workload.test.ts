import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/types.ts';
import type { OpenStackService, OpenStackWorkload } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';
import { condition, isReady, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());

interface Deployment extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation: number };
  readonly spec: { readonly replicas: number; readonly paused?: boolean };
}

interface StatefulSet extends KubeObject {
  readonly spec: {
    readonly updateStrategy: { readonly type: string; readonly rollingUpdate?: { readonly partition?: number } };
  };
}

describe('kolla-operator and one workload', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('workload', ['keystone', 'glance', 'heat', 'horizon', 'alone']);
    const account = await site.account();
    // Each controller is a process of its own.
    await site.operator(['--controllers', 'service'], account);
    await site.operator(['--controllers', 'workload'], account);
    await site.create('OpenStackService', 'keystone', { release: '2025.1' });
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = (name: string, what: string, is: (workload: OpenStackWorkload) => boolean) =>
    site.seen<OpenStackWorkload>('OpenStackWorkload', name, what, is);
  const deployment = async (name: string) =>
    await site.request<Deployment>('GET', `/apis/apps/v1/namespaces/${site.namespace}/deployments/${name}`);
  const statefulSet = async (name: string) =>
    await site.request<StatefulSet>('GET', `/apis/apps/v1/namespaces/${site.namespace}/statefulsets/${name}`);
  const podsOf = ({ status }: OpenStackWorkload) => (status?.pods ?? []).map(({ pod }) => pod);

  test('belongs to its service, and shows each Pod', async () => {
    const { metadata, spec, status } = await seen(
      'keystone',
      'ready',
      (one) => isReady(one) && one.status?.replicas === 1,
    );
    assert.deepEqual(spec, { kind: 'Deployment' });
    assert.equal(metadata.ownerReferences?.[0]?.name, 'keystone');
    const [pod] = status?.pods ?? [];
    assert.deepEqual([pod?.ready, pod?.restarts, pod?.image], [true, 0, 'tiny:2025.1']);
  });

  test('is scaled as a value of the Helm release, without the Jobs of an upgrade', async () => {
    await site.cluster.kubectl(['scale', 'openstackworkload/keystone', '--replicas=2', '--namespace', site.namespace]);
    const { status } = await seen('keystone', 'two Pods', (one) => isReady(one) && one.status?.readyReplicas === 2);
    assert.equal(status?.replicas, 2);
    assert.deepEqual(await site.history('keystone'), ['1 superseded', '2 deployed']);
    assert.match(await site.helm('get', 'values', 'keystone'), /main:\s+replicas: 2/);
    assert.deepEqual(site.steps, []);
  });

  test('is restarted by a new value only, and no Helm runs', async () => {
    const old = podsOf(await seen('keystone', 'ready', isReady));
    await site.patch('OpenStackWorkload', 'keystone', { restart: 'one' });
    const isNew = (one: OpenStackWorkload) => isReady(one) && podsOf(one).every((pod) => !old.includes(pod));
    const young = podsOf(await seen('keystone', 'new Pods', (one) => isNew(one) && podsOf(one).length === 2));
    const { metadata } = await deployment('keystone');
    await site.patch('OpenStackWorkload', 'keystone', { restart: null });
    assert.deepEqual(podsOf(await seen('keystone', 'the same', isReady)).toSorted(), young.toSorted());
    assert.equal((await deployment('keystone')).metadata.generation, metadata.generation);
    assert.equal((await site.history('keystone')).length, 2);
  });

  test('is paused: an upgrade of the service waits, and goes on when it is resumed', async () => {
    await site.patch('OpenStackWorkload', 'keystone', { paused: true });
    await until('the pause', async () => ((await deployment('keystone')).spec.paused === true ? true : undefined));
    await site.patch('OpenStackService', 'keystone', { release: '2025.2' });
    await seen('keystone', 'paused', ({ status }) => status?.message === 'paused; 0 of 2 updated');
    await site.seen<OpenStackService>('OpenStackService', 'keystone', 'rolling out', ({ status }) =>
      /deployment\/keystone: 0 of 2 updated/.test(status?.message ?? ''),
    );
    await site.patch('OpenStackWorkload', 'keystone', { paused: null });
    await seen('keystone', 'ready', (one) => isReady(one) && one.status?.pods?.[0]?.image === 'tiny:2025.2');
    assert.equal((await deployment('keystone')).spec.paused, undefined);
  });

  test('is drained: no Pod is left, and it comes back with its number of replicas', async () => {
    await site.patch('OpenStackWorkload', 'keystone', { drain: true, paused: true });
    const wait = ['wait', '--for=condition=Drained', 'openstackworkload/keystone', '--timeout=-1s'];
    assert.match(await site.cluster.kubectl([...wait, '--namespace', site.namespace]), /condition met/);
    const drained = await seen('keystone', 'drained', ({ status }) => status?.phase === 'Drained');
    assert.deepEqual([drained.status?.replicas, condition(drained, 'Ready')?.status], [0, 'False']);
    assert.equal((await deployment('keystone')).spec.replicas, 0);
    await site.patch('OpenStackWorkload', 'keystone', { drain: false, paused: null });
    const { status } = await seen('keystone', 'ready', (one) => isReady(one) && one.status?.replicas === 2);
    assert.equal(condition({ ...drained, status } as OpenStackWorkload, 'Drained')?.status, 'False');
  });

  test('a paused StatefulSet keeps an upgrade waiting, although kubectl calls such a rollout complete', async () => {
    await site.create('OpenStackService', 'heat', { release: '2025.1', values: { kind: 'StatefulSet', replicas: 2 } });
    assert.equal((await seen('heat', 'ready', isReady)).spec.kind, 'StatefulSet');
    await site.patch('OpenStackWorkload', 'heat', { paused: true });
    const partition = async () => (await statefulSet('heat')).spec.updateStrategy.rollingUpdate?.partition;
    await until('the pause', async () => ((await partition()) === 2 ** 31 - 1 ? true : undefined));
    await site.patch('OpenStackService', 'heat', { release: '2025.2' });
    await seen('heat', 'paused', ({ status }) => status?.message === 'paused; 0 of 2 updated');
    await site.patch('OpenStackWorkload', 'heat', { paused: false });
    const isNew = (one: OpenStackWorkload) => one.status?.pods?.every(({ image }) => image === 'tiny:2025.2') === true;
    await seen('heat', 'ready', (one) => isReady(one) && isNew(one) && one.status?.readyReplicas === 2);
    assert.equal((await partition()) ?? 0, 0);
  });

  test('a DaemonSet is paused by its update strategy', async () => {
    await site.create('OpenStackService', 'horizon', { release: '2025.1', values: { kind: 'DaemonSet' } });
    await seen('horizon', 'ready', isReady);
    const path = `/apis/apps/v1/namespaces/${site.namespace}/daemonsets/horizon`;
    const strategy = async () => (await site.request<StatefulSet>('GET', path)).spec.updateStrategy.type;
    for (const [paused, type] of [
      [true, 'OnDelete'],
      [null, 'RollingUpdate'],
    ] as const) {
      await site.patch('OpenStackWorkload', 'horizon', { paused });
      await until(type, async () => ((await strategy()) === type ? true : undefined));
    }
  });

  test("shows why its Pods do not start, in the kubelet's words", async () => {
    site.fate = (pod) => (pod.spec.containers[0]?.image === 'tiny:missing' ? 'no image' : usualFate(pod));
    await site.create('OpenStackService', 'glance', { release: '2025.1', tag: 'missing' });
    const stuck = await seen('glance', 'degraded', (one) => condition(one, 'Degraded')?.status === 'True');
    assert.match(condition(stuck, 'Degraded')?.message ?? '', /pod\/glance-\S+, container main: ImagePullBackOff/);
    site.fate = usualFate;
    await site.patch('OpenStackService', 'glance', { tag: '2025.1' });
    await seen('glance', 'ready', (one) => isReady(one) && condition(one, 'Degraded')?.status === 'False');
  });

  test('alone, of a release that a person has installed, it restarts; its replicas are a value of that release', async () => {
    await site.helm('install', 'alone', join(site.charts, 'alone'));
    await site.create('OpenStackWorkload', 'alone', { replicas: 3 });
    const refused = await seen('alone', 'degraded', (one) => condition(one, 'Degraded')?.reason === 'NoService');
    assert.match(condition(refused, 'Degraded')?.message ?? '', /value of the Helm release alone/);
    await site.patch('OpenStackWorkload', 'alone', { replicas: null });
    const old = podsOf(await seen('alone', 'ready', isReady));
    await site.patch('OpenStackWorkload', 'alone', { restart: 'now' });
    await seen('alone', 'a new Pod', (one) => isReady(one) && podsOf(one).every((pod) => !old.includes(pod)));
    assert.deepEqual(await site.history('alone'), ['1 deployed']);
  });

  test('a service without the workload deletes its object; without the service, the workload stays', async () => {
    await site.request('DELETE', `/apis/kolla-pod.io/v1alpha1/namespaces/${site.namespace}/openstackservices/glance`);
    const path = `/apis/kolla-pod.io/v1alpha1/namespaces/${site.namespace}/openstackworkloads/glance`;
    await until(
      'the garbage collector',
      async () =>
        await site.request('GET', path).then(
          () => undefined,
          () => true,
        ),
    );
    assert.equal((await deployment('glance')).spec.replicas, 1);
  });

  test('what can not apply is refused at admission', async () => {
    const daemons = { kind: 'DaemonSet', replicas: 2 };
    await assert.rejects(site.create('OpenStackWorkload', 'a', daemons), /one Pod on each node/);
    await assert.rejects(site.create('OpenStackWorkload', 'a', { kind: 'DaemonSet', drain: true }), /drain the node/);
    await assert.rejects(site.create('OpenStackWorkload', 'a', { replica: 2 }), /unknown field "spec\.replica"/);
    await assert.rejects(site.patch('OpenStackWorkload', 'keystone', { kind: 'StatefulSet' }), /kind is immutable/);
    await assert.rejects(site.patch('OpenStackWorkload', 'keystone', { replicas: -1 }), /greater than or equal to 0/);
  });
});
