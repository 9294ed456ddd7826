/** Objects that have the names of the operator's, and are not its own: a real Helm and API server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { packageChart } from '../../build/charts.ts';
import type { OpenStack, OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { condition, isReady, makeChart, operatorSite, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const CHECKED = { values: { check: true } };

describe('kolla-operator and objects of others', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('foreign', ['keystone', 'mariadb', 'placement']);
    await site.operator();
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const service = (name: string, what: string, is: (object: OpenStackService) => boolean) =>
    site.seen<OpenStackService>('OpenStackService', name, what, is);
  const cloud = (what: string, is: (object: OpenStack) => boolean) =>
    site.seen<OpenStack>('OpenStack', 'cloud', what, is);
  const uidOf = async (what: string) =>
    await site.cluster.kubectl(['get', what, `--namespace=${site.namespace}`, '--output=jsonpath={.metadata.uid}']);
  const createFile = async (object: object) =>
    await site.cluster.kubectl(['create', `--namespace=${site.namespace}`, '--filename=-'], JSON.stringify(object));

  test('a release of the same name from another chart is refused, and installed when that is uninstalled', async () => {
    makeChart(join(site.directory, 'others'), 'wordpress');
    await site.helm('install', 'keystone', join(site.directory, 'others/wordpress'));
    const theirs = await uidOf('deployment/keystone');
    await site.create('OpenStackService', 'keystone', { release: '2025.1' });
    const refused = await service('keystone', 'refused', (one) => condition(one, 'Degraded')?.status === 'True');
    assert.equal(condition(refused, 'Degraded')?.reason, 'ForeignRelease');
    assert.match(
      condition(refused, 'Degraded')?.message ?? '',
      /^revision 1 of the Helm release is of chart wordpress/,
    );
    await site.patch('OpenStackService', 'keystone', { release: '2025.2' });
    await service(
      'keystone',
      'refused again',
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    assert.deepEqual(await site.history('keystone'), ['1 deployed']);
    assert.equal(await uidOf('deployment/keystone'), theirs);
    await site.helm('uninstall', 'keystone');
    const { status } = await service('keystone', 'ready', isReady);
    assert.equal(status?.helm?.chart, 'keystone-1.0.0');
  });

  test("a release of another project's chart of the same name is refused", async () => {
    makeChart(join(site.directory, 'others'), 'mariadb', '20.0.0', 'common');
    await site.helm('install', 'mariadb', join(site.directory, 'others/mariadb'));
    await site.create('OpenStackService', 'mariadb', { release: '2025.1' });
    const refused = await service('mariadb', 'refused', (one) => condition(one, 'Degraded')?.status === 'True');
    assert.equal(condition(refused, 'Degraded')?.reason, 'ForeignRelease');
    assert.match(
      condition(refused, 'Degraded')?.message ?? '',
      /another chart named mariadb, without the library kolla-pod/,
    );
    assert.deepEqual(await site.history('mariadb'), ['1 deployed']);
    await site.request('DELETE', `/apis/kolla-pod.io/v1alpha1/namespaces/${site.namespace}/openstackservices/mariadb`);
    await site.helm('uninstall', 'mariadb');
  });

  test("a release of the catalogue's own chart that a person has installed is adopted", async () => {
    const archive = packageChart('memcached', site.charts);
    const values = { global: { kollaPod: { image: { reference: 'registry.test/kolla-pod:1' } } } };
    const set = ['--set=global.kollaPod.image.reference=registry.test/kolla-pod:1', '--set-string=global.tag=2025.1'];
    await site.helm('install', 'memcached', archive, ...set);
    await site.create('OpenStackService', 'memcached', { release: '2025.1', values });
    await service('memcached', 'ready', isReady);
    assert.deepEqual(await site.history('memcached'), ['1 deployed']);
  });

  test("another user's Pod named like the preflight's is not deleted, and fails the preflight", async () => {
    await site.create('OpenStack', 'cloud', { release: '2025.1', services: { placement: CHECKED } });
    await cloud('ready', isReady);
    await createFile({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'cloud-preflight' },
      spec: { containers: [{ name: 'main', image: 'theirs:1' }] },
    });
    const uid = await uidOf('pod/cloud-preflight');
    await site.patch('OpenStack', 'cloud', { release: '2025.2', upgrade: { checkImages: true } });
    const stopped = await cloud('stopped', (one) => condition(one, 'Preflight')?.status === 'False');
    assert.match(
      condition(stopped, 'Preflight')?.message ?? '',
      /^pod\/cloud-preflight is not of this OpenStack: delete it, or set upgrade\.checkImages to false/,
    );
    assert.equal(await uidOf('pod/cloud-preflight'), uid);
  });

  test("another user's Secret named like one of an upgrade check is not changed, and fails the preflight", async () => {
    const theirs = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'placement-conf-check' },
      stringData: { a: 'b' },
    };
    await createFile(theirs);
    await site.patch('OpenStack', 'cloud', { upgrade: { checkImages: false } });
    const why = /^placement: Secret placement-conf-check is not of job\/placement-2025\.2-check: delete it/;
    await cloud('stopped by the Secret', (one) => why.test(condition(one, 'Preflight')?.message ?? ''));
    const json = ['get', 'secret/placement-conf-check', `--namespace=${site.namespace}`, '--output=json'];
    const { data, metadata } = JSON.parse(await site.cluster.kubectl(json)) as { data: object; metadata: object };
    assert.deepEqual(data, { a: 'Yg==' });
    assert.ok(!('ownerReferences' in metadata));
  });

  test("another user's Job named like an upgrade check is neither believed nor deleted", async () => {
    const at = `/apis/batch/v1/namespaces/${site.namespace}/jobs/placement-2025.2-check?propagationPolicy=Background`;
    await site.request('DELETE', at);
    const containers = [{ name: 'main', image: 'theirs:1' }];
    await createFile({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'placement-2025.2-check' },
      spec: { template: { spec: { restartPolicy: 'Never', containers } } },
    });
    const uid = await uidOf('job/placement-2025.2-check');
    await site.patch('OpenStack', 'cloud', { upgrade: { pauseAfter: ['placement'] } });
    const why = /^placement: job\/placement-2025\.2-check is not of this OpenStack: delete it/;
    await cloud('stopped by the Job', (one) => why.test(condition(one, 'Preflight')?.message ?? ''));
    assert.equal(await uidOf('job/placement-2025.2-check'), uid);
  });
});
