import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { RELEASES, UPGRADE_STAGES } from '../../src/catalog/index.ts';
import type { OpenStackService } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';
import { condition, isReady, makeChart, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());

describe('kolla-operator and one service', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('service', ['keystone', 'glance', 'heat', 'horizon', 'cinder', 'neutron']);
    await site.operator(['--controllers', 'service']);
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = (name: string, what: string, is: (service: OpenStackService) => boolean) =>
    site.seen<OpenStackService>('OpenStackService', name, what, is);

  const imageOf = async (name: string) =>
    await site.cluster.kubectl([
      'get',
      'deployment',
      name,
      `--namespace=${site.namespace}`,
      '--output=jsonpath={.spec.template.spec.containers[0].image}',
    ]);

  test('is installed by helm, and ready when its Pods are', async () => {
    site.fate = () => 'hold';
    await site.create('OpenStackService', 'keystone', { release: '2025.1' });
    const rolling = await seen('keystone', 'rolling out', ({ status }) =>
      /^deployment\/keystone: 0 of 1 (?:updated|available)/.test(status?.message ?? ''),
    );
    assert.equal(rolling.status?.phase, 'RollingOut');
    assert.equal(condition(rolling, 'Ready')?.status, 'False');
    site.fate = usualFate;
    const { status } = await seen('keystone', 'ready', isReady);
    assert.equal(status?.release, '2025.1');
    assert.equal(status?.helm?.chart, 'keystone-1.0.0');
    assert.deepEqual(await site.history('keystone'), ['1 deployed']);
  });

  test('is upgraded: the Job before it, then the workload', async () => {
    await site.patch('OpenStackService', 'keystone', { release: '2025.2' });
    const { status } = await seen(
      'keystone',
      'ready at 2025.2',
      (service) => isReady(service) && service.status?.release === '2025.2',
    );
    assert.equal(status?.helm?.revision, 2);
    assert.deepEqual(site.steps, ['keystone-expand-r2 expand:2025.2']);
    assert.deepEqual(await site.history('keystone'), ['1 superseded', '2 deployed']);
  });

  test('adopts a release that a person has installed with the same values, without a new revision', async () => {
    const values = ['--set-string=global.tag=2025.1', '--set=replicas=1'];
    await site.helm('install', 'glance', join(site.charts, 'glance'), ...values);
    await site.create('OpenStackService', 'glance', { release: '2025.1', values: { replicas: 1 } });
    const { status } = await seen('glance', 'ready', isReady);
    assert.equal(status?.helm?.revision, 1);
    assert.deepEqual(await site.history('glance'), ['1 deployed']);
  });

  test('is put back when a person changes its release by hand', async () => {
    await site.helm(
      'upgrade',
      'glance',
      join(site.charts, 'glance'),
      '--reset-values',
      '--set-string=global.tag=other',
    );
    const { status } = await seen(
      'glance',
      'revision 3',
      (service) => isReady(service) && service.status?.helm?.revision === 3,
    );
    assert.equal(status?.release, '2025.1');
    assert.deepEqual((await site.history('glance')).at(-1), '3 deployed');
  });

  test('is not touched while it is suspended, and shows that its workload was deleted', async () => {
    await site.patch('OpenStackService', 'glance', { suspend: true });
    await site.request('DELETE', `/apis/apps/v1/namespaces/${site.namespace}/deployments/glance`);
    const { status } = await seen('glance', 'suspended', (service) => service.status?.phase === 'Suspended');
    assert.equal(condition({ status } as OpenStackService, 'Ready')?.status, 'False');
    assert.deepEqual((await site.history('glance')).at(-1), '3 deployed');
    await site.patch('OpenStackService', 'glance', { suspend: null });
    await seen('glance', 'to be created again', (service) => condition(service, 'Ready')?.reason === 'ObjectsDeleted');
  });

  test("shows in Helm's words that the Job before an upgrade has failed, and resumes when it succeeds", async () => {
    site.fate = (pod) => (pod.spec.containers[0]?.image === 'expand:2026.1' ? 'fails' : usualFate(pod));
    await site.patch('OpenStackService', 'keystone', { release: '2026.1' });
    const failed = await seen('keystone', 'degraded', (service) => condition(service, 'Degraded')?.status === 'True');
    const { reason: why, message } = condition(failed, 'Degraded') ?? {};
    assert.equal(why, 'HelmFailed');
    assert.match(
      message ?? '',
      /^pre-upgrade hooks failed.*job\/keystone-expand-r3: BackoffLimitExceeded: .*: kolla-db-sync: x: B failure$/s,
    );
    assert.equal(failed.status?.release, '2025.2');
    assert.equal(await imageOf('keystone'), 'tiny:2025.2');
    // On a busy machine the next attempt may have begun.
    assert.deepEqual((await site.history('keystone')).slice(1, 3), ['2 deployed', '3 failed']);
    site.fate = usualFate;
    // Any change of the object is tried at once; without one, the next attempt is due after a backoff.
    await site.patch('OpenStackService', 'keystone', { values: { replicas: 2 } });
    const { status } = await seen(
      'keystone',
      'ready at 2026.1',
      (service) => isReady(service) && service.status?.release === '2026.1',
    );
    assert.equal(condition({ ...failed, status } as OpenStackService, 'Degraded')?.status, 'False');
    const history = await site.history('keystone');
    assert.equal(history[2], '3 failed');
    assert.match(history.at(-1) ?? '', / deployed$/);
  });

  test('goes back to an older release without the Jobs of an upgrade', async () => {
    const begun = site.steps.length;
    await site.patch('OpenStackService', 'keystone', { release: '2025.2' });
    await seen('keystone', 'ready at 2025.2', (service) => isReady(service) && service.status?.release === '2025.2');
    assert.deepEqual(site.steps.slice(begun), []);
    assert.equal(await imageOf('keystone'), 'tiny:2025.2');
  });

  test('names the charts near a missing one, and installs it once it is there', async () => {
    await site.create('OpenStackService', 'barbican', { chart: { name: 'keyston' }, release: '2025.1' });
    const missing = await seen('barbican', 'degraded', (service) => condition(service, 'Degraded')?.status === 'True');
    assert.equal(condition(missing, 'Degraded')?.reason, 'ChartNotFound');
    assert.match(condition(missing, 'Degraded')?.message ?? '', /no chart 'keyston' in .*; did you mean 'keystone'\?/);
    makeChart(site.charts, 'keyston');
    await site.patch('OpenStackService', 'barbican', { values: {} });
    await seen('barbican', 'ready', isReady);
  });

  test('shows why a chart does not render, and what its schema refuses', async () => {
    await site.create('OpenStackService', 'heat', { values: { broken: true } });
    const broken = await seen('heat', 'degraded', (service) => condition(service, 'Degraded')?.status === 'True');
    assert.match(condition(broken, 'Degraded')?.message ?? '', /broken on purpose/);
    await site.patch('OpenStackService', 'heat', { values: { broken: null, unknown: 1 } });
    const refused = await seen(
      'heat',
      'refused',
      (service) => condition(service, 'Degraded')?.message.includes('unknown') === true,
    );
    assert.equal(refused.status?.phase, 'Degraded');
    await site.patch('OpenStackService', 'heat', { values: { unknown: null } });
    await seen('heat', 'ready', isReady);
    assert.deepEqual(await site.history('heat'), ['1 deployed']);
  });

  test("shows why its Pods do not start, in the kubelet's words", async () => {
    site.fate = (pod) => (pod.spec.containers[0]?.image === 'tiny:missing' ? 'no image' : usualFate(pod));
    await site.create('OpenStackService', 'horizon', { release: '2025.1', tag: 'missing' });
    const stuck = await seen('horizon', 'degraded', (service) => condition(service, 'Degraded')?.status === 'True');
    assert.match(
      condition(stuck, 'Degraded')?.message ?? '',
      /pod\/horizon-\S+, container main: ImagePullBackOff: Back-off pulling/,
    );
    site.fate = usualFate;
    await site.patch('OpenStackService', 'horizon', { tag: '2025.1' });
    await seen('horizon', 'ready', isReady);
  });

  test('shows a failed Job of the release, in the words of Kubernetes', async () => {
    site.fate = (pod) => (pod.spec.containers[0]?.image.startsWith('job:') === true ? 'fails' : usualFate(pod));
    await site.create('OpenStackService', 'cinder', { release: '2025.1', values: { job: true } });
    const failed = await seen('cinder', 'degraded', (service) => condition(service, 'Degraded')?.status === 'True');
    assert.match(condition(failed, 'Degraded')?.message ?? '', /job\/cinder-job-2025\.1: BackoffLimitExceeded/);
    assert.deepEqual(failed.status?.failedJobs, ['cinder-job-2025.1']);
  });

  test('shows that a quota is exceeded, in the words of the API server, and goes on when there is room', async () => {
    const quota = ['quota', 'pods', `--namespace=${site.namespace}`];
    await site.cluster.kubectl(['create', ...quota, '--hard=pods=0']);
    // It denies nothing before the quota's controller has seen it.
    const pod = ['run', 'denied', '--image=none.test/c:1', '--dry-run=server', `--namespace=${site.namespace}`];
    await until('the quota to deny', () =>
      site.cluster.kubectl(pod).then(
        () => undefined,
        (error: Error) => error.message.includes('exceeded quota') || undefined,
      ),
    );
    await site.create('OpenStackService', 'neutron', { release: '2025.1' });
    const refused = await seen('neutron', 'degraded', (service) => condition(service, 'Degraded')?.status === 'True');
    assert.match(condition(refused, 'Degraded')?.message ?? '', /exceeded quota: pods/);
    await site.cluster.kubectl(['delete', ...quota]);
    // The controller of the Deployment retries with a backoff of its own; a change of the template is tried at once.
    await site.patch('OpenStackService', 'neutron', { tag: '2025.1-other' });
    await seen('neutron', 'ready', isReady);
  });

  test('shows why the Job before an upgrade does not start, while Helm waits for it', async () => {
    site.fate = (pod) => (pod.spec.containers[0]?.image === 'expand:missing' ? 'no image' : usualFate(pod));
    await site.patch('OpenStackService', 'neutron', { tag: 'missing' });
    const stuck = await seen('neutron', 'degraded', (service) => condition(service, 'Degraded')?.status === 'True');
    assert.match(
      condition(stuck, 'Degraded')?.message ?? '',
      /pod\/neutron-expand-r3-\S+, container main: ImagePullBackOff/,
    );
    assert.equal((await site.history('neutron')).at(-1), '3 pending-upgrade');
    // Its Job still does not start: otherwise Helm might finish before it is stopped.
    await site.patch('OpenStackService', 'neutron', { tag: '2025.2' });
    await seen('neutron', 'ready', isReady);
    site.fate = usualFate;
    assert.deepEqual((await site.history('neutron')).slice(-2), ['3 failed', '4 deployed']);
  });

  test('reads passwords from a Secret, never shows them, and follows its changes', async () => {
    const secret = (tag: string) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'passwords', namespace: site.namespace },
        stringData: { 'values.yaml': `global: { passwords: { database_password: hidden-password, tag: "${tag}" } }` },
      });
    await site.cluster.kubectl(['apply', '-f', '-'], secret('a'));
    makeChart(site.charts, 'placement');
    const valuesFrom = [{ kind: 'Secret', name: 'passwords' }];
    await site.create('OpenStackService', 'placement', { release: '2025.1', valuesFrom });
    await seen('placement', 'ready', isReady);
    await site.cluster.kubectl(['apply', '-f', '-'], secret('b'));
    await seen('placement', 'revision 2', (service) => isReady(service) && service.status?.helm?.revision === 2);
    const values = await site.helm('get', 'values', 'placement');
    assert.match(values, /hidden-password/);
    assert.doesNotMatch(await readFile(join(site.directory, 'operator.log'), 'utf8'), /hidden/);
  });
});

describe('the objects at admission', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('admission', []);
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  test('an unknown release names the known ones, which are those of the catalogue', async () => {
    const known = new RegExp(`unknown release 2024\\.1; known releases: ${RELEASES.join(', ')}`);
    await assert.rejects(site.create('OpenStackService', 'keystone', { release: '2024.1' }), known);
    const services = { keystone: {} };
    await assert.rejects(site.create('OpenStack', 'cloud', { release: '2024.1', services }), known);
    for (const release of RELEASES) {
      await site.create('OpenStack', `at-${release.replace('.', '-')}`, { release, services });
    }
  });

  test('services are those of the catalogue, or name their chart', async () => {
    const all = Object.fromEntries(UPGRADE_STAGES.flat().map((name) => [name, {}]));
    await site.create('OpenStack', 'all', {
      release: '2025.1',
      services: { ...all, 'nova-cell2': { chart: 'nova-cell' } },
    });
    const unknown = { release: '2025.1', services: { keyston: {} } };
    await assert.rejects(site.create('OpenStack', 'unknown', unknown), /must be one of cinder, glance/);
  });

  test('unknown fields, a long name, a tag without the release and a changed chart are refused', async () => {
    await assert.rejects(site.create('OpenStackService', 'a', { relase: '2025.1' }), /unknown field "spec\.relase"/);
    await assert.rejects(site.create('OpenStackService', 'a'.repeat(54), {}), /at most 53 characters/);
    const tag = { release: '2025.1', tag: 'latest', services: { keystone: {} } };
    await assert.rejects(site.create('OpenStack', 'tag', tag), /must contain \{release\}/);
    await site.create('OpenStackService', 'nova-cell2', { chart: { name: 'nova-cell' } });
    await assert.rejects(
      site.patch('OpenStackService', 'nova-cell2', { chart: { name: 'nova' } }),
      /chart\.name is immutable/,
    );
  });

  test('the Pod of the manifest is admitted under restricted', async () => {
    const { namespace, cluster } = site;
    await cluster.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
    await cluster.kubectl(['create', 'serviceaccount', 'kolla-operator', '--namespace', namespace]);
    const manifest = await readFile(new URL('../../k8s/operator/operator.yaml', import.meta.url), 'utf8');
    const objects = loadAll(manifest) as { kind: string; spec: { template: { spec: object } } }[];
    const { template } = objects.find(({ kind }) => kind === 'Deployment')?.spec ?? assert.fail();
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'operator', namespace }, spec: template.spec };
    assert.match(await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(pod)), /pod\/operator created/);
    const root = { ...pod, metadata: { name: 'root', namespace }, spec: { ...template.spec, securityContext: {} } };
    await assert.rejects(cluster.kubectl(['create', '--filename', '-'], JSON.stringify(root)), /violates PodSecurity/);
  });
});
