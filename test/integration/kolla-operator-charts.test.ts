import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chartNames, packageChart } from '../../build/charts.ts';
import type { KubeClient, KubeObject, SetRef } from '../../src/kube/types.ts';
import { createLog } from '../../src/core/log.ts';
import { Beat } from '../../src/operator/runtime/beat.ts';
import { watched, type Cache } from '../../src/operator/runtime/cache.ts';
import { ownSet, type OpenStackService, type OpenStackWorkload } from '../../src/operator/api/objects.ts';
import { Publisher } from '../../src/operator/runtime/publish.ts';
import { ServiceReconciler } from '../../src/operator/service/reconcile.ts';
import { WORKLOAD_KINDS } from '../../src/operator/service/workloads.ts';
import { canRunHelm, helmBinary } from '../../tools/helm.ts';
import { PASSWORDS } from '../charts/support.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';
import { condition, isReady, operatorSite, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const REST = 'at-rest';

describe('kolla-operator and the charts', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('charts', [REST]);
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  test('installs every chart with no other permissions than those that it prints', async () => {
    for (const name of chartNames()) packageChart(name, site.charts);
    await using operator = await site.operator(['--max-concurrent-reconciles', '2'], await site.account());
    const image = { reference: 'registry.test/kolla-pod:1' };
    const values = { global: { passwords: PASSWORDS, kollaPod: { image } } };
    // Which adds a PodDisruptionBudget.
    const two = { values: { workloads: { api: { replicas: 2 } } } };
    const services = Object.fromEntries(chartNames().map((name) => [name, name === 'keystone' ? two : {}]));
    await site.create('OpenStack', 'cloud', { release: '2025.1', values, services });
    for (const name of chartNames()) {
      const service = await site.seen<OpenStackService>('OpenStackService', name, 'ready', (object) => {
        assert.notEqual(condition(object, 'Degraded')?.status, 'True', JSON.stringify(object.status));
        return isReady(object);
      });
      assert.equal(service.status?.helm?.revision, 1, name);
    }
    // Helm 4 watches all that the hooks of an upgrade create: an account, Roles, Secrets, ConfigMaps and Jobs.
    await site.patch('OpenStack', 'cloud', {
      services: { keystone: { values: { workloads: { api: { env: { A: 'b' } } } } } },
    });
    await site.seen<OpenStackService>('OpenStackService', 'keystone', 'upgraded', (object) => {
      assert.notEqual(condition(object, 'Degraded')?.status, 'True', JSON.stringify(object.status));
      return isReady(object) && object.status?.helm?.revision === 2;
    });
    assert.match(await site.helm('get', 'hooks', 'keystone'), /^kind: Role$/m);
    assert.equal(await operator.stop(), 143);
  });

  test('a ready service costs no request, and no timer runs for it', async () => {
    const { client, namespace, charts, directory, cluster } = site;
    const stop = new AbortController();
    const { signal } = stop;
    const requests: string[] = [];
    const counted: KubeClient = {
      ...client,
      get: async (path, options) => (requests.push(`GET ${path}`), await client.get(path, options)),
      request: async (method, path, ...rest) => (
        requests.push(`${method} ${path}`),
        await client.request(method, path, ...rest)
      ),
      apply: async (path, ...rest) => (requests.push(`APPLY ${path}`), await client.apply(path, ...rest)),
    };
    const log = createLog({
      helper: 'test',
      level: 'error',
      format: 'json',
      terminal: { isTerminal: false, color: false, width: 80 },
      write: (text) => process.stderr.write(text),
      now: () => new Date(),
    });
    const known: Promise<void>[] = [];
    const ended: Promise<void>[] = [];
    const cacheOf = <T extends KubeObject>(ref: SetRef): Cache<T> => {
      const cache = watched<T>(counted, ref, { signal, log, onChange: () => {} });
      known.push(cache.known);
      ended.push(cache.ended);
      return cache;
    };
    await site.create('OpenStackService', REST, { release: '2025.1' });
    const services = cacheOf<OpenStackService>(ownSet('OpenStackService', namespace));
    const workload = (kind: keyof typeof WORKLOAD_KINDS) =>
      cacheOf<KubeObject>({ ...WORKLOAD_KINDS[kind], namespace, labelSelector: 'app.kubernetes.io/managed-by=Helm' });
    const reconciler = new ServiceReconciler({
      client: counted,
      namespace,
      charts,
      helm: {
        file: await helmBinary(),
        kubeconfig: cluster.kubeconfig,
        directory,
        inherited: { PATH: process.env['PATH'] },
        limits: { ownMs: 30_000, memoryBytes: 2 ** 28 },
      },
      beat: new Beat(600_000),
      process: 'test',
      publisher: new Publisher(counted, 'test', log),
      services,
      openstacks: { get: () => undefined, values: () => [] },
      leases: cacheOf<KubeObject>({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace }),
      scales: cacheOf<OpenStackWorkload>(ownSet('OpenStackWorkload', namespace)),
      secrets: cacheOf<KubeObject>({ group: '', version: 'v1', resource: 'secrets', namespace }),
      workloads: {
        Deployment: workload('Deployment'),
        StatefulSet: workload('StatefulSet'),
        DaemonSet: workload('DaemonSet'),
        Job: workload('Job'),
      },
      log,
      now: () => new Date(),
    });
    await Promise.all(known);
    await until('the service to be ready', async () => {
      await reconciler.reconcile(REST, signal);
      const service = services.get(REST);
      return service !== undefined && isReady(service) ? true : undefined;
    });
    // Until all caches have what the last step has written.
    await until('the caches', async () => {
      const begun = requests.length;
      await reconciler.reconcile(REST, signal);
      return requests.length === begun ? true : undefined;
    });
    const begun = requests.length;
    for (let event = 0; event < 20; event++)
      assert.deepEqual(await reconciler.reconcile(REST, signal), { requeueAfterMs: undefined });
    assert.deepEqual(requests.slice(begun), []);
    stop.abort();
    await Promise.all(ended);
  });
});
