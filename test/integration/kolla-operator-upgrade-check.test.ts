import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpenStack } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import type { Running } from '../../tools/process.ts';
import { until } from '../support/until.ts';
import { condition, isReady, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const CHECKED = { values: { check: true } };
/** Glance's chart here does not know `upgrade.check`. */
const SERVICES = { mariadb: {}, keystone: CHECKED, placement: CHECKED, glance: {} };

describe('kolla-operator, upgrade checks', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  let account: string;
  let operator: Running;
  before(async () => {
    site = await operatorSite('upgrade-check', Object.keys(SERVICES));
    account = await site.account();
    operator = await site.operator([], account);
    await site.create('OpenStack', 'cloud', { release: '2025.1', services: SERVICES });
    await readyAt('2025.1');
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = (what: string, is: (openstack: OpenStack) => boolean) =>
    site.seen<OpenStack>('OpenStack', 'cloud', what, is);
  const readyAt = (release: string) =>
    seen(`ready at ${release}`, (one) => isReady(one) && one.status?.release === release);
  const upgradeTo = (release: string, upgrade: object) => site.patch('OpenStack', 'cloud', { release, upgrade });
  const histories = async () => await Promise.all(Object.keys(SERVICES).map((name) => site.history(name)));
  const list = async (root: string, resource: string) => {
    const path = `${root}/namespaces/${site.namespace}/${resource}`;
    const { items } = await site.request<{ items: { metadata: { name: string; uid: string } }[] }>('GET', path);
    return items.map(({ metadata }) => metadata);
  };
  const checks = async () =>
    [...(await list('/apis/batch/v1', 'jobs')), ...(await list('/api/v1', 'secrets'))].filter(({ name }) =>
      name.endsWith('-check'),
    );
  const fates = new Map<string, ReturnType<typeof usualFate>>();
  /** Decides about the Pod of a service's check. */
  const fate = (service: string, is: ReturnType<typeof usualFate>) => {
    fates.set(service, is);
    site.fate = (pod) => {
      const [, name = ''] = /^(\w+)-.*-check$/.exec(pod.metadata.labels?.['batch.kubernetes.io/job-name'] ?? '') ?? [];
      return fates.get(name) ?? usualFate(pod);
    };
  };

  test('a failure stops the upgrade before anything is changed, in the words of the tool', async () => {
    const untouched = await histories();
    const begun = site.steps.length;
    fate('keystone', 'fails');
    await upgradeTo('2025.2', {});
    const stopped = await seen('stopped', (one) => condition(one, 'Preflight')?.status === 'False');
    const { reason: why, message } = condition(stopped, 'Preflight') ?? {};
    assert.equal(why, 'UpgradeCheckFailed');
    assert.equal(message, 'keystone: x: B failure (job/keystone-2025.2-check, deleted after 10 min)');
    assert.equal(condition(stopped, 'Degraded')?.reason, 'PreflightFailed');
    assert.deepEqual(await histories(), untouched);
    // Placement's has run, and a chart without a check is not applied.
    assert.deepEqual(site.steps.slice(begun), ['placement-2025.2-check check:2025.2']);
  });

  test('a skipped check stops nothing, a warning is an Event, and nothing of the checks is left', async () => {
    fate('placement', 'succeeds, warning');
    // Its result is known for an hour; another specification is another check.
    const services = { placement: { values: { replicas: 2 } } };
    const upgrade = { skipChecks: ['keystone'] };
    await site.patch('OpenStack', 'cloud', { upgrade, services });
    const done = await readyAt('2025.2');
    const { status, reason: why, message } = condition(done, 'Preflight') ?? {};
    assert.deepEqual([status, why], ['True', 'PassedWithWarnings']);
    assert.match(message ?? '', /; placement: x: A warning$/);
    const events = ['get', 'events', '--namespace', site.namespace, '--field-selector=reason=PassedWithWarnings'];
    assert.match(await site.cluster.kubectl(events), /Warning +PassedWithWarnings +openstack\/cloud .*A warning/);
    await site.request(
      'DELETE',
      `/apis/batch/v1/namespaces/${site.namespace}/jobs/keystone-2025.2-check?propagationPolicy=Background`,
    );
    await until('Jobs and Secrets to be collected', async (saw) => {
      const left = await checks();
      saw(left.map(({ name }) => name).join(' '));
      return left.length === 0 || undefined;
    });
  });

  test('a quota without room for the check stops an upgrade, in the words of the API server', async () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'full' },
      spec: { hard: { pods: '1' } },
    };
    await site.cluster.kubectl(['apply', '--namespace', site.namespace, '--filename=-'], JSON.stringify(quota));
    const counted = [
      'wait',
      '--namespace',
      site.namespace,
      '--for=jsonpath={.status.hard.pods}=1',
      'resourcequota/full',
      '--timeout=-1s',
    ];
    await site.cluster.kubectl(counted);
    const untouched = await histories();
    await upgradeTo('2026.1', { skipChecks: ['placement'] });
    const stopped = await seen('stopped', (one) => condition(one, 'Preflight')?.status === 'False');
    const { reason: why, message } = condition(stopped, 'Preflight') ?? {};
    assert.equal(why, 'UpgradeCheckFailed');
    assert.match(
      message ?? '',
      /^keystone: job\/keystone-2026\.1-check: .*exceeded quota: full, requested: pods=1, used: pods=\d+, limited: pods=1/,
    );
    assert.deepEqual(await histories(), untouched);
    await upgradeTo('2025.2', {});
    await readyAt('2025.2');
    // With room for its Pod, the check would end, and the next test would find its result.
    for (const object of ['job/keystone-2026.1-check', 'resourcequota/full'])
      await site.cluster.kubectl(['delete', '--namespace', site.namespace, object]);
  });

  test('another process of the operator takes over a check that runs', async () => {
    fate('keystone', 'hold');
    fate('placement', 'succeeds');
    await upgradeTo('2026.1', { skipChecks: null });
    const isChecking = (one: OpenStack) =>
      condition(one, 'Preflight')?.message === 'upgrade check of keystone: job/keystone-2026.1-check: running';
    const checking = await seen('checking', isChecking);
    assert.deepEqual([checking.status?.phase, condition(checking, 'Preflight')?.status], ['Upgrading', 'Unknown']);
    const first = (await checks()).find(({ name }) => name === 'keystone-2026.1-check');
    await operator[Symbol.asyncDispose]();
    operator = await site.operator([], account);
    fate('keystone', 'succeeds');
    const second = (await checks()).find(({ name }) => name === 'keystone-2026.1-check');
    assert.ok(first !== undefined && (second === undefined || second.uid === first.uid));
    await readyAt('2026.1');
    assert.equal(site.steps.filter((step) => step === 'keystone-2026.1-check check:2026.1').length, 1);
  });
});
