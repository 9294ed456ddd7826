import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpenStack } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { runHelper } from '../support/helper.ts';
import { condition, isReady, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const SERVICES = { mariadb: {}, keystone: { values: { contract: true } }, placement: { values: { contract: true } } };

describe('kolla-operator, before and after contract', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('contract', Object.keys(SERVICES));
    await site.operator([], await site.account());
    const values = { upgrade: { stepwise: true } };
    await site.create('OpenStack', 'cloud', { release: '2025.1', values, services: SERVICES });
    await readyAt('2025.1');
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = (what: string, is: (openstack: OpenStack) => boolean) =>
    site.seen<OpenStack>('OpenStack', 'cloud', what, is);
  const readyAt = (release: string) =>
    seen(`ready at ${release}`, (one) => isReady(one) && one.status?.release === release);
  const isCurrent = ({ metadata, status }: OpenStack) => status?.observedGeneration === metadata.generation;
  const contracts = () => site.steps.filter((step) => step.includes('contract:'));

  test('an upgrade is paused with all services at the new release, and no contract has run', async () => {
    await site.patch('OpenStack', 'cloud', { release: '2025.2', upgrade: { pauseBefore: 'contract' } });
    const paused = await seen('paused', (one) => isCurrent(one) && one.status?.phase === 'Paused');
    assert.equal(
      condition(paused, 'Ready')?.message,
      'spec.upgrade.pauseBefore is contract: remove it to contract keystone, placement',
    );
    assert.deepEqual([paused.status?.progress, paused.status?.release], ['3/3', '2025.1']);
    assert.ok(contracts().every((step) => step.endsWith(':2025.1')));
    const { stdout } = await runHelper('kolla-pod', [
      'status',
      '--namespace',
      site.namespace,
      '--kubeconfig',
      site.cluster.kubeconfig,
    ]);
    assert.match(stdout, /cloud: 2025\.1 -> 2025\.2, Paused, 3\/3 services ready: spec\.upgrade\.pauseBefore/);
    assert.match(stdout, /keystone +2025\.2 +Ready [^]*?suspended until upgrade\.pauseBefore is removed/);
  });

  test('no other upgrade begins while contract is held back', async () => {
    const history = await site.history('mariadb');
    await site.patch('OpenStack', 'cloud', { release: '2026.1' });
    const stopped = await seen('stopped', (one) => isCurrent(one) && condition(one, 'Preflight')?.status === 'False');
    assert.match(
      condition(stopped, 'Preflight')?.message ?? '',
      /keystone: keystone-contract-2025\.2 of 2025\.2 is suspended: set the release back to 2025\.2/,
    );
    assert.deepEqual(await site.history('mariadb'), history);
    await site.patch('OpenStack', 'cloud', { release: '2025.2' });
    await seen('paused', (one) => isCurrent(one) && one.status?.phase === 'Paused');
  });

  test('held services go back', async () => {
    await site.patch('OpenStack', 'cloud', { release: '2025.1' });
    await readyAt('2025.1');
    assert.doesNotMatch(await site.helm('get', 'values', 'keystone'), /pauseBefore/);
    assert.match(await site.helm('get', 'values', 'keystone'), /tag: "?2025\.1/);
  });

  test('without pauseBefore, contract runs, and the Jobs before an upgrade do not run again', async () => {
    await site.patch('OpenStack', 'cloud', { release: '2025.2' });
    await seen('paused', (one) => isCurrent(one) && one.status?.phase === 'Paused');
    const begun = site.steps.length;
    await site.patch('OpenStack', 'cloud', { upgrade: { pauseBefore: null } });
    await readyAt('2025.2');
    assert.deepEqual(site.steps.slice(begun).toSorted(), [
      'keystone-contract-2025.2 contract:2025.2',
      'placement-contract-2025.2 contract:2025.2',
    ]);
  });

  test('after contract, the release is not set back, and nothing is touched', async () => {
    await site.migration('keystone', 'done', 'contract', '2025.2');
    await site.seen('OpenStackService', 'keystone', 'contracted', ({ status }) =>
      JSON.stringify(status).includes('"contracted":"2025.2"'),
    );
    const history = await site.history('placement');
    await site.patch('OpenStack', 'cloud', { release: '2025.1' });
    const refused = await seen('refused', (one) => condition(one, 'Degraded')?.reason === 'RollbackRefused');
    assert.match(
      condition(refused, 'Degraded')?.message ?? '',
      /^keystone: Lease kolla-db-sync-keystone: contract of 2025\.2 has begun, and 2025\.1 does not run on its schema/,
    );
    assert.deepEqual(await site.history('placement'), history);
    await site.patch('OpenStack', 'cloud', { release: '2025.2' });
    await readyAt('2025.2');
    assert.equal(condition(await seen('any', isCurrent), 'Degraded')?.status, 'False');
  });

  test('a single service refuses the same, from the Lease itself', async () => {
    await site.create('OpenStackService', 'solo', {
      chart: { name: 'keystone' },
      release: '2025.2',
      values: { contract: true },
    });
    await site.seen('OpenStackService', 'solo', 'ready', isReady);
    await site.migration('solo', 'running', 'contract', '2025.2-ubuntu-noble');
    await site.patch('OpenStackService', 'solo', { release: '2025.1' });
    const refused = await site.seen(
      'OpenStackService',
      'solo',
      'refused',
      (one) => condition(one, 'Degraded')?.status === 'True',
    );
    assert.equal(condition(refused, 'Degraded')?.reason, 'RollbackRefused');
    assert.deepEqual(await site.history('solo'), ['1 deployed']);
  });

  test('before an upgrade, all charts render and no migration is interrupted, or nothing is touched', async () => {
    await site.migration('keystone', 'interrupted', 'online', '2025.2');
    // The preflight reads it there.
    await site.seen('OpenStackService', 'keystone', 'interrupted', ({ status }) =>
      JSON.stringify(status).includes('"state":"interrupted"'),
    );
    const histories = async () => await Promise.all(Object.keys(SERVICES).map((name) => site.history(name)));
    const untouched = await histories();
    await site.patch('OpenStack', 'cloud', {
      release: '2026.1',
      services: { placement: { values: { broken: true } } },
    });
    const stopped = await seen('stopped', (one) => isCurrent(one) && condition(one, 'Preflight')?.status === 'False');
    const { reason: why, message = '' } = condition(stopped, 'Preflight') ?? {};
    assert.equal(why, 'MigrationUnfinished');
    assert.match(message, /keystone: Lease kolla-db-sync-keystone: online of 2025\.2 is interrupted/);
    assert.match(message, /placement: .*broken on purpose/);
    assert.equal(condition(stopped, 'Degraded')?.reason, 'PreflightFailed');
    assert.deepEqual(await histories(), untouched);
    await site.migration('keystone', 'done', 'online', '2025.2');
    await site.patch('OpenStack', 'cloud', { services: { placement: { values: { broken: null } } } });
    await readyAt('2026.1');
    assert.equal(condition(await seen('any', isCurrent), 'Preflight')?.status, 'True');
  });

  test('a database that is not ready stops an upgrade before its first step', async () => {
    site.fate = (pod) => (pod.metadata.name.startsWith('mariadb') ? 'hold' : usualFate(pod));
    await site.patch('OpenStack', 'cloud', { services: { mariadb: { values: { replicas: 2 } } } });
    await site.seen('OpenStackService', 'mariadb', 'rolling out', (one) => condition(one, 'Ready')?.status === 'False');
    await site.patch('OpenStack', 'cloud', { release: '2026.2', upgrade: { checkImages: true } });
    const stopped = await seen(
      'stopped',
      (one) => isCurrent(one) && condition(one, 'Preflight')?.reason === 'NotReady',
    );
    assert.match(condition(stopped, 'Preflight')?.message ?? '', /^mariadb is not ready: ./);
  });

  test('with checkImages, an upgrade starts when a node has pulled all images', async () => {
    const isPreflight = ({ metadata }: { readonly metadata: { readonly name: string } }) =>
      metadata.name === 'cloud-preflight';
    const history = await site.history('placement');
    site.fate = (pod) => (isPreflight(pod) ? 'no image' : usualFate(pod));
    const stopped = await seen('stopped', (one) => condition(one, 'Preflight')?.reason === 'ImageMissing');
    assert.match(
      condition(stopped, 'Preflight')?.message ?? '',
      /pod\/cloud-preflight, container main: ImagePullBackOff/,
    );
    const path = `/api/v1/namespaces/${site.namespace}/pods/cloud-preflight`;
    const { spec } = await site.request<{ spec: { containers: { image: string }[] } }>('GET', path);
    const images = spec.containers.map(({ image }) => image);
    assert.deepEqual(images, ['contract:2026.2', 'expand:2026.2', 'tiny:2026.2']);
    assert.deepEqual(await site.history('placement'), history);
    site.fate = (pod) => (isPreflight(pod) ? 'succeeds' : usualFate(pod));
    await readyAt('2026.2');
    assert.match(condition(await seen('any', isCurrent), 'Preflight')?.message ?? '', /a node has pulled all images/);
  });
});
