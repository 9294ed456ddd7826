import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  ApiError,
  collectionPath,
  objectPath,
  type KubeClient,
  type KubeObject,
  type SetRef,
} from '../../src/kube/index.ts';
import {
  canRunControlPlane,
  cpuSecondsOf,
  openWatches,
  requestCount,
  startControlPlane,
  type ControlPlane,
} from '../cluster/kubernetes/index.ts';
import { connectKube } from '../cluster/kube-on-core.ts';
import { until } from '../support/until.ts';
import { follow, followSet } from './kube-support.ts';

const NAMESPACE = 'openstack';
const MAPS: SetRef = { group: '', version: 'v1', resource: 'configmaps', namespace: NAMESPACE };
const unwarned = (message: string) => assert.fail(message);

describe('API access, against a real API server', { skip: (await canRunControlPlane()) ?? false }, () => {
  let cluster: ControlPlane;
  let client: KubeClient;
  before(async () => {
    cluster = await startControlPlane();
    await cluster.kubectl(['create', 'namespace', NAMESPACE]);
    client = await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] });
  });
  after(async () => {
    client[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
  });
  const kubectl = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, ...args]);

  test('a set reports all existing objects, then added, changed and deleted ones', async (t) => {
    await kubectl('create', 'configmap', 'a', '--from-literal=x=1');
    await kubectl('label', 'configmap', 'a', 'set=one');
    const ref = { ...MAPS, labelSelector: 'set=one' };
    const seen: string[] = [];
    for await (const observation of client.watchSet<KubeObject>(ref, { signal: t.signal, warn: unwarned })) {
      assert.equal(observation.kind, 'set');
      seen.push([...observation.objects.keys()].join(' '));
      if (seen.length === 1) {
        await kubectl('create', 'configmap', 'b');
        await kubectl('label', 'configmap', 'b', 'set=one');
      }
      // An object that no longer matches the selector counts as deleted.
      if (seen.at(-1) === 'a b') await kubectl('label', 'configmap', 'a', 'set=two', '--overwrite');
      if (seen.at(-1) === 'b') await kubectl('delete', 'configmap', 'b');
      if (seen.length > 1 && seen.at(-1) === '') break;
    }
    assert.deepEqual(seen, ['a', 'a b', 'b', '']);
  });

  test('an empty set is reported at once, without a list', async (t) => {
    const ref = { ...MAPS, labelSelector: 'set=none' };
    const began = performance.now();
    for await (const observation of client.watchSet<KubeObject>(ref, { signal: t.signal, warn: unwarned })) {
      assert.deepEqual(observation, { kind: 'set', objects: new Map() });
      break;
    }
    t.diagnostic(`told after ${Math.round(performance.now() - began)} ms`);
  });

  test('requests only the metadata of a Secret', async (t) => {
    await kubectl('create', 'secret', 'generic', 'password', '--from-literal=p=hidden');
    const options = { signal: t.signal, warn: unwarned, metadataOnly: true };
    const ref = { ...MAPS, resource: 'secrets' };
    for await (const observation of client.watch<KubeObject>(
      { ...ref, namespace: NAMESPACE, name: 'password' },
      options,
    )) {
      assert.equal(observation.kind, 'object');
      assert.deepEqual(Object.keys(observation.object).toSorted(), ['apiVersion', 'kind', 'metadata']);
      break;
    }
    for await (const observation of client.watchSet<KubeObject & { data?: object }>(ref, options)) {
      assert.ok(observation.kind === 'set');
      assert.equal(observation.objects.get('password')?.data, undefined);
      break;
    }
    const path = objectPath({ ...ref, namespace: NAMESPACE, name: 'password' });
    assert.ok(!('data' in (await client.get<object>(path, { signal: t.signal, metadataOnly: true }))));
    assert.ok('data' in (await client.get<object>(path, { signal: t.signal })));
  });

  test('an object is created, patched, replaced and deleted; an error has its status and reason', async ({
    signal,
  }) => {
    interface ConfigMap extends KubeObject {
      readonly data?: Readonly<Record<string, string>>;
    }
    const path = objectPath({ ...MAPS, namespace: NAMESPACE, name: 'mine' });
    const made = { metadata: { name: 'mine' }, data: { a: '1' } };
    const first = await client.request<ConfigMap>('POST', collectionPath(MAPS), made, { signal });
    await client.request<ConfigMap>('PATCH', path, { data: { b: '2' } }, { signal });
    assert.deepEqual((await client.get<ConfigMap>(path, { signal })).data, { a: '1', b: '2' });
    await assert.rejects(client.request('PUT', path, first, { signal }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.reason], [409, 'Conflict']);
      return true;
    });
    await assert.rejects(client.request('POST', collectionPath(MAPS), made, { signal }), {
      status: 409,
      reason: 'AlreadyExists',
    });
    await client.request('DELETE', path, undefined, { signal });
    await assert.rejects(client.get(path, { signal }), { status: 404, reason: 'NotFound' });
  });

  test('the API server counts one watch per dependency, and no request while they wait', async ({ signal }) => {
    const labels = { resource: 'configmaps' };
    const watchesBefore = await openWatches(cluster, labels);
    const following = Array.from({ length: 8 }, (_, n) => follow(client, `later-${n}`));
    const many = followSet(client);
    for (const watch of [...following, many]) await watch.until('its first word', (seen) => seen.length > 0);
    assert.equal((await openWatches(cluster, labels)) - watchesBefore, 9);
    const asked = await requestCount(cluster, labels);
    for (let n = 0; n < following.length; n++)
      await client.request(
        'POST',
        collectionPath(MAPS),
        { metadata: { name: `later-${n}` }, data: { x: '0' } },
        { signal },
      );
    for (const watch of following) await watch.until('its object', (seen) => seen.includes('x=0'));
    await many.until('the last of them', (seen) => seen.at(-1)?.includes('later-7') === true);
    const written = following.length;
    assert.equal((await requestCount(cluster, labels)) - asked, written, 'what was told came over the watches alone');
    for (const watch of [...following, many]) await watch[Symbol.asyncDispose]();
    await until('them to be closed', async () => (await openWatches(cluster, labels)) === watchesBefore || undefined);
    assert.equal((await requestCount(cluster, labels)) - asked, written + 9, 'a watch counts when it ends');
    assert.ok(cluster.apiServer.cpuSeconds() > 0 && cpuSecondsOf(cluster.etcd.pid) > 0);
  });

  for (const [word, expected] of [
    ['deploy', 'apps/v1 deployments'],
    ['pods', '/v1 pods'],
    ['po', '/v1 pods'],
    ['Node', '/v1 nodes'],
    ['endpointslice', 'discovery.k8s.io/v1 endpointslices'],
    ['deployments.apps', 'apps/v1 deployments'],
    ['ingresses.v1.networking.k8s.io', 'networking.k8s.io/v1 ingresses'],
    ['Lease.coordination.k8s.io', 'coordination.k8s.io/v1 leases'],
    ['events', '/v1 events'],
    ['deployments.batch', undefined],
    ['nothing', undefined],
  ] as const) {
    test(`${word} is ${expected ?? 'no resource'}`, async ({ signal }) => {
      const found = await client.discover(word, { signal });
      assert.equal(found && `${found.group}/${found.version} ${found.resource}`, expected);
    });
  }

  test('an apiVersion and kind are found, in the core group too', async ({ signal }) => {
    assert.deepEqual(await client.discover({ apiVersion: 'v1', kind: 'Node' }, { signal }), {
      group: '',
      version: 'v1',
      resource: 'nodes',
      kind: 'Node',
      namespaced: false,
    });
    const found = await client.discover({ apiVersion: 'batch/v1', kind: 'CronJob' }, { signal });
    assert.equal(found?.resource, 'cronjobs');
    assert.equal(await client.discover({ apiVersion: 'none.test/v1', kind: 'None' }, { signal }), undefined);
  });
});
