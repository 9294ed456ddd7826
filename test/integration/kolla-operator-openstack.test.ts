import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { upgradeStage } from '../../src/catalog/index.ts';
import type { OpenStack, OpenStackService, ServiceSummary } from '../../src/operator/api/objects.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunControlPlane } from '../cluster/kubernetes/index.ts';
import { until } from '../support/until.ts';
import { condition, isReady, operatorSite, usualFate, type OperatorSite } from './kolla-operator-support.ts';

const reason = (await canRunHelm()) ?? (await canRunControlPlane());
const SERVICES = ['memcached', 'keystone', 'nova', 'nova-cell', 'nova-compute', 'horizon'];

describe('kolla-operator and a cloud', { skip: reason ?? false, concurrency: 1 }, () => {
  let site: OperatorSite;
  before(async () => {
    site = await operatorSite('cloud', SERVICES);
    await site.operator([], await site.account());
  });
  after(async () => await site?.[Symbol.asyncDispose]());

  const seen = (what: string, is: (openstack: OpenStack) => boolean) =>
    site.seen<OpenStack>('OpenStack', 'cloud', what, is);
  const statesOf = ({ status }: OpenStack) =>
    Object.fromEntries((status?.services ?? []).map(({ name, state }: ServiceSummary) => [name, state]));
  const isReadyAt = (release: string) => (openstack: OpenStack) =>
    isReady(openstack) && openstack.status?.release === release;
  /** Services in the order in which their Jobs before the upgrade ran. */
  const orderOf = (steps: readonly string[]) => steps.map((step) => step.split('-expand-')[0] ?? '');

  test('installs all services at once, with the values of the cloud', async () => {
    const services = Object.fromEntries(SERVICES.map((name) => [name, {}]));
    const cloud = { release: '2025.1', tag: '{release}-ubuntu', registry: 'registry.test', services };
    await site.create('OpenStack', 'cloud', {
      ...cloud,
      services: {
        ...services,
        horizon: { values: { replicas: 2 } },
      },
    });
    const { status } = await seen('ready', isReadyAt('2025.1'));
    assert.equal(status?.progress, '6/6');
    assert.deepEqual(
      status.services?.map(({ name }) => name),
      SERVICES,
    );
    assert.deepEqual(JSON.parse(await site.helm('get', 'values', 'horizon', '--output=json')), {
      global: { registry: 'registry.test', tag: '2025.1-ubuntu' },
      replicas: 2,
    });
    const table = await site.cluster.kubectl(['get', 'openstack', '--namespace', site.namespace]);
    assert.match(table, /cloud\s+2025\.1\s+2025\.1\s+Ready\s+6\/6\s+True/);
    const wait = ['wait', '--for=condition=Ready', 'openstack/cloud', 'openstackservice/keystone', '--timeout=-1s'];
    assert.match(await site.cluster.kubectl([...wait, '--namespace', site.namespace]), /keystone condition met/);
  });

  test("upgrades stage by stage, Nova's charts together, and pauses where it is asked to", async () => {
    const begun = site.steps.length;
    const preflight = seen('in its preflight', ({ status }) => status?.message === 'preflight: renders all charts');
    await site.patch('OpenStack', 'cloud', { release: '2025.2', upgrade: { pauseAfter: ['keystone'] } });
    const { status: first } = await preflight;
    assert.deepEqual([first?.phase, first?.release], ['Upgrading', '2025.1']);
    assert.equal(condition(await preflight, 'Ready')?.status, 'False');
    const paused = await seen('paused', ({ status }) => status?.phase === 'Paused');
    assert.deepEqual(orderOf(site.steps.slice(begun)), ['memcached', 'keystone']);
    assert.deepEqual(statesOf(paused), {
      memcached: 'Ready',
      keystone: 'Ready',
      nova: 'Waiting',
      'nova-cell': 'Waiting',
      'nova-compute': 'Waiting',
      horizon: 'Waiting',
    });
    assert.equal(paused.status?.release, '2025.1');
    await site.patch('OpenStack', 'cloud', { upgrade: { pauseAfter: null } });
    await seen('ready at 2025.2', isReadyAt('2025.2'));
    const order = orderOf(site.steps.slice(begun));
    assert.deepEqual(order.slice(2, 5).toSorted(), ['nova', 'nova-cell', 'nova-compute']);
    assert.deepEqual([order.length, order.at(-1)], [6, 'horizon']);
  });

  test('stops at a failed step, names it, touches nothing behind it, and resumes', async () => {
    site.fate = (pod) => {
      const isBroken =
        pod.metadata.name.startsWith('keystone-expand') && pod.spec.containers[0]?.image === 'expand:2026.1-ubuntu';
      return isBroken ? 'fails' : usualFate(pod);
    };
    await site.patch('OpenStack', 'cloud', { release: '2026.1' });
    const failed = await seen('degraded', (openstack) => condition(openstack, 'Degraded')?.status === 'True');
    assert.match(
      condition(failed, 'Degraded')?.message ?? '',
      /^keystone: pre-upgrade hooks failed.*BackoffLimitExceeded/s,
    );
    assert.deepEqual([statesOf(failed)['nova'], statesOf(failed)['horizon']], ['Waiting', 'Waiting']);
    const history = await site.history('horizon');
    assert.equal(history.at(-1), '2 deployed');
    const warnings = [
      '--field-selector=involvedObject.kind=OpenStack,type=Warning',
      '--output=jsonpath={.items[*].message}',
    ];
    // It is created after the condition.
    await until('the Event', async (saw) => {
      const events = await site.cluster.kubectl(['get', 'events', '--namespace', site.namespace, ...warnings]);
      saw(events);
      return events.includes('keystone: pre-upgrade hooks failed') || undefined;
    });
    site.fate = usualFate;
    await seen('ready at 2026.1', isReadyAt('2026.1'));
    assert.equal(condition(await seen('any', () => true), 'Degraded')?.status, 'False');
  });

  test('set back in the middle of an upgrade, the services that are new go back, the last ones first', async () => {
    site.fate = (pod) => (pod.metadata.name.startsWith('nova-expand') ? 'hold' : usualFate(pod));
    await site.patch('OpenStack', 'cloud', { release: '2026.2' });
    await seen('nova in progress', (openstack) => {
      const { nova, 'nova-compute': compute } = statesOf(openstack);
      return openstack.status?.phase === 'Upgrading' && nova === 'Progressing' && compute === 'Ready';
    });
    const begun = site.steps.length;
    await site.patch('OpenStack', 'cloud', { release: '2026.1' });
    site.fate = usualFate;
    await seen('ready at 2026.1', (openstack) => isReadyAt('2026.1')(openstack) && openstack.status?.phase === 'Ready');
    const hooks = site.steps.slice(begun).filter((step) => step.endsWith('expand:2026.1-ubuntu'));
    assert.deepEqual(hooks, []);
    // What is below OpenStack stays: a broker has no way back.
    for (const name of SERVICES) {
      const tag = new RegExp(`tag: 2026\\.${upgradeStage(name) === 0 ? 2 : 1}-ubuntu`);
      assert.match(await site.helm('get', 'values', name), tag, name);
    }
  });

  test('a service that is switched off keeps its Helm release', async () => {
    await site.patch('OpenStack', 'cloud', { services: { horizon: { enabled: false } } });
    await seen('five services', ({ status }) => status?.progress === '5/5');
    assert.match((await site.history('horizon')).at(-1) ?? '', /deployed/);
    const path = `/apis/kolla-pod.io/v1alpha1/namespaces/${site.namespace}/openstackservices/horizon`;
    await assert.rejects(site.request<OpenStackService>('GET', path), { status: 404 });
  });
});
