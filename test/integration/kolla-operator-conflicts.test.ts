/**
 * Fields that others than Helm have written, under server-side apply: what the helpers write never conflicts, and what a person
 * has edited is a condition. Real Helm, API server and controllers.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { packageChart } from '../../build/charts.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { OpenStackService, OpenStackWorkload } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';
import { condition, isReady, operatorSite, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const RESTARTED = 'kubectl.kubernetes.io/restartedAt';

interface Workload extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly paused?: boolean;
    readonly updateStrategy?: { readonly type: string };
    readonly template: KubeObject & { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

describe('fields that others than Helm have written', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('conflicts', ['keystone', 'glance', 'heat', 'horizon', 'alone']);
    packageChart('memcached', site.charts);
    await site.operator([], await site.account());
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = async (name: string, what: string, is: (service: OpenStackService) => boolean) =>
    await site.seen<OpenStackService>('OpenStackService', name, what, is);
  const readyAt = async (name: string, release: string) =>
    await seen(name, `ready at ${release}`, (one) => isReady(one) && one.status?.release === release);
  const workload = async (kind: string, name: string) =>
    await site.request<Workload>('GET', `/apis/apps/v1/namespaces/${site.namespace}/${kind}s/${name}`);
  const kubectl = async (...args: string[]) => await site.cluster.kubectl([...args, '--namespace', site.namespace]);
  const restart = async (what: string) => {
    const words = ['restart', `--kubeconfig=${site.cluster.kubeconfig}`, `${what}@${site.namespace}`];
    const { code, stderr } = await runHelper('kolla-init', words);
    assert.equal(code, 0, stderr);
  };
  /** An autoscaler without metrics: below its minimum it needs none. */
  const autoscale = async (name: string, apiVersion: string, kind: string, target: string) => {
    const scaleTargetRef = { apiVersion, kind, name: target };
    const spec = { scaleTargetRef, minReplicas: 3, maxReplicas: 4 };
    const object = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name }, spec };
    await site.cluster.kubectl(['apply', '--filename=-', '--namespace', site.namespace], JSON.stringify(object));
  };

  test('a restart, a pause and a scale of ours outlast an upgrade by the operator', async () => {
    await site.create('OpenStackService', 'keystone', { release: '2025.1' });
    await readyAt('keystone', '2025.1');
    await restart('deployment/keystone');
    const restarted = (await workload('deployment', 'keystone')).spec.template.metadata.annotations?.[RESTARTED];
    assert.ok(restarted);
    await kubectl('scale', 'openstackworkload/keystone', '--replicas=2');
    await site.patch('OpenStackWorkload', 'keystone', { paused: true, restart: 'one' });
    await until('the pause', async () => (await workload('deployment', 'keystone')).spec.paused);
    await site.patch('OpenStackService', 'keystone', { release: '2025.2' });
    await seen('keystone', 'paused', ({ status }) => /0 of 2 updated/.test(status?.message ?? ''));
    await site.patch('OpenStackWorkload', 'keystone', { paused: null });
    const service = await readyAt('keystone', '2025.2');
    assert.notEqual(condition(service, 'Conflict')?.status, 'True');
    const { spec } = await workload('deployment', 'keystone');
    assert.equal(spec.replicas, 2);
    assert.equal(spec.template.metadata.annotations?.[RESTARTED], restarted);
    assert.equal(spec.template.metadata.annotations?.['kolla-pod.io/restart'], 'one');
  });

  test('nor do they conflict with a person who runs helm upgrade', async () => {
    const chart = join(site.charts, 'alone');
    await site.helm('install', 'alone', chart, '--set=hook=false');
    await restart('deployment/alone');
    await site.create('OpenStackWorkload', 'alone', { paused: true, restart: 'one' });
    await until('the pause', async () => (await workload('deployment', 'alone')).spec.paused);
    await site.helm('upgrade', 'alone', chart, '--set=hook=false', '--set=replicas=2');
    const { spec } = await workload('deployment', 'alone');
    assert.deepEqual([spec.replicas, spec.paused], [2, true]);
    assert.ok(spec.template.metadata.annotations?.[RESTARTED]);
  });

  test('the replicas of an autoscaler stay, whether it scales an OpenStackWorkload', async () => {
    await site.create('OpenStackService', 'glance', { release: '2025.1' });
    await readyAt('glance', '2025.1');
    // Without a number, an autoscaler takes it for 0, and scales nothing.
    await site.patch('OpenStackWorkload', 'glance', { replicas: 1 });
    await autoscale('glance', 'kolla-pod.io/v1alpha1', 'OpenStackWorkload', 'glance');
    await site.seen<OpenStackWorkload>(
      'OpenStackWorkload',
      'glance',
      'three Pods',
      ({ status }) => status?.readyReplicas === 3,
    );
    await site.patch('OpenStackService', 'glance', { release: '2025.2' });
    await readyAt('glance', '2025.2');
    assert.equal((await workload('deployment', 'glance')).spec.replicas, 3);
  });

  test('or a workload whose replicas the values leave out', async () => {
    const values = {
      global: { kollaPod: { image: { reference: 'registry.test/kolla-pod:1' } } },
      workloads: { memcached: { spec: { replicas: null } } },
    };
    await site.create('OpenStackService', 'memcached', { release: '2025.1', values });
    await readyAt('memcached', '2025.1');
    await autoscale('memcached', 'apps/v1', 'StatefulSet', 'memcached');
    await until(
      'three Pods',
      async () => (await workload('statefulset', 'memcached')).spec.replicas === 3 || undefined,
    );
    await site.patch('OpenStackService', 'memcached', { release: '2025.2' });
    const service = await readyAt('memcached', '2025.2');
    assert.notEqual(condition(service, 'Conflict')?.status, 'True');
    assert.equal((await workload('statefulset', 'memcached')).spec.replicas, 3);
  });

  test("a pause by the values' own update strategy is refused, and nothing is in the way of an upgrade", async () => {
    const values = { kind: 'DaemonSet', strategy: { type: 'RollingUpdate' } };
    await site.create('OpenStackService', 'horizon', { release: '2025.1', values });
    await readyAt('horizon', '2025.1');
    await site.seen<OpenStackWorkload>('OpenStackWorkload', 'horizon', 'ready', isReady);
    await site.patch('OpenStackWorkload', 'horizon', { paused: true });
    const refused = await site.seen<OpenStackWorkload>(
      'OpenStackWorkload',
      'horizon',
      'refused',
      (one) => condition(one, 'Degraded')?.status === 'True',
    );
    assert.match(
      condition(refused, 'Degraded')?.message ?? '',
      /^not paused: \.spec\.updateStrategy\.type is a value of/,
    );
    await site.patch('OpenStackService', 'horizon', { release: '2025.2' });
    await seen('horizon', 'upgraded', ({ status }) => status?.release === '2025.2');
    assert.equal((await workload('daemonset', 'horizon')).spec.updateStrategy?.type, 'RollingUpdate');
  });

  describe("a person's edit", () => {
    const conflict = async (release: string) => {
      await kubectl('scale', 'deployment/heat', '--replicas=4');
      await kubectl('set', 'image', 'deployment/heat', 'main=tiny:edited');
      // Without the tag that keeps an edit, the release is a new image: Helm runs.
      await site.patch('OpenStackService', 'heat', { release, tag: null });
      const found = await seen('heat', 'conflict', (one) => condition(one, 'Conflict')?.status === 'True');
      assert.equal(condition(found, 'Degraded')?.reason, 'HelmFailed');
      assert.match(found.status?.message ?? '', /^deployment\/heat: kubectl/);
      return condition(found, 'Conflict')?.message ?? '';
    };

    test('is a condition with object, field and both ways out', async () => {
      await site.create('OpenStackService', 'heat', { release: '2025.1' });
      await readyAt('heat', '2025.1');
      const message = await conflict('2025.2');
      assert.match(message, /deployment\/heat: kubectl \(scale\) has set \.spec\.replicas/);
      assert.match(
        message,
        /deployment\/heat: kubectl-set has set \.spec\.template\.spec\.containers\[name="main"\]\.image/,
      );
      assert.match(message, /put the same into spec\.values.*spec\.forceConflicts: true/);
    });

    test('is kept by its value', async () => {
      await site.patch('OpenStackWorkload', 'heat', { replicas: 4 });
      await site.patch('OpenStackService', 'heat', { tag: 'edited' });
      const service = await readyAt('heat', '2025.2');
      assert.equal(condition(service, 'Conflict')?.status, 'False');
      const { spec } = await workload('deployment', 'heat');
      assert.deepEqual([spec.replicas, spec.template.spec.containers[0]?.image], [4, 'tiny:edited']);
    });

    test('is discarded by force, at once, and only then', async () => {
      // Once it is a value, that the person had set it is over: the value may change.
      await site.patch('OpenStackWorkload', 'heat', { replicas: 1 });
      await site.seen<OpenStackWorkload>('OpenStackWorkload', 'heat', 'one Pod', (one) => {
        return isReady(one) && one.status?.replicas === 1;
      });
      await seen('heat', 'ready', isReady);
      await conflict('2026.1');
      await site.patch('OpenStackService', 'heat', { forceConflicts: true });
      await readyAt('heat', '2026.1');
      const { spec } = await workload('deployment', 'heat');
      assert.deepEqual([spec.replicas, spec.template.spec.containers[0]?.image], [1, 'tiny:2026.1']);
    });
  });
});
