import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UPGRADE_STAGES } from '../../src/catalog/index.ts';
import type { OpenStack, OpenStackService, OpenStackSpec } from '../../src/operator/api/objects.ts';
import { APPLIED, planOf, wantedServices } from '../../src/operator/openstack/plan.ts';
import { stepsTo } from '../../src/operator/openstack/steps.ts';

const ALL = Object.fromEntries(UPGRADE_STAGES.flat().map((name) => [name, {}]));

function cloud(spec: Partial<OpenStackSpec> = {}): OpenStack {
  const metadata = { name: 'cloud', namespace: 'openstack', uid: 'cloud-uid', generation: 1 };
  return { metadata, spec: { release: '2026.1', services: ALL, ...spec } };
}

/** All services as they were applied for a release, and ready. */
function servicesAt(release: string, openstack: OpenStack): Map<string, OpenStackService> {
  const wanted = wantedServices({ spec: { ...openstack.spec, release } }, new Map());
  return new Map(wanted.map(({ name, spec, digest }) => [name, service(name, spec, digest)]));
}

function service(name: string, spec: OpenStackService['spec'], digest: string): OpenStackService {
  const owner = { apiVersion: '', kind: 'OpenStack', name: 'cloud', uid: 'cloud-uid', controller: true };
  const metadata = { name, namespace: 'openstack', uid: name, generation: 1, ownerReferences: [owner] };
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' } as const;
  return {
    metadata: { ...metadata, annotations: { [APPLIED]: digest } },
    spec,
    status: { observedGeneration: 1, release: spec.release ?? '', conditions: [ready] },
  };
}

const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

test('a new cloud is applied at once: its Pods wait for each other', () => {
  const plan = planOf(cloud(), new Map());
  assert.equal(plan.kind, 'apply');
  assert.deepEqual(namesOf(plan.apply), UPGRADE_STAGES.flat());
});

test('nothing is applied to a cloud that is as it is wanted', () => {
  const plan = planOf(cloud(), servicesAt('2026.1', cloud()));
  assert.deepEqual([plan.apply, plan.remove], [[], []]);
  assert.ok(plan.services.every(({ state }) => state === 'Ready'));
});

test('an upgrade applies one stage after the other, each when the previous one is ready', () => {
  const services = servicesAt('2025.2', cloud());
  const order: string[][] = [];
  for (let plan; (plan = planOf(cloud(), services)).apply.length > 0; order.push(namesOf(plan.apply)))
    for (const { name, spec, digest } of plan.apply) services.set(name, service(name, spec, digest));
  assert.deepEqual(order, UPGRADE_STAGES);
});

test('a service that was applied and is not observed yet holds back the next stage', () => {
  const services = servicesAt('2025.2', cloud());
  for (const name of UPGRADE_STAGES[0]) services.set(name, servicesAt('2026.1', cloud()).get(name)!);
  const memcached = services.get('memcached')!;
  services.set('memcached', { ...memcached, metadata: { ...memcached.metadata, generation: 2 } });
  const plan = planOf(cloud(), services);
  assert.deepEqual(plan.apply, []);
  assert.equal(plan.services.find(({ name }) => name === 'keystone')?.message, 'after memcached');
});

test('going back, the last stage is the first', () => {
  const openstack = cloud({ release: '2025.2' });
  const plan = planOf(openstack, servicesAt('2026.1', openstack));
  assert.equal(plan.kind, 'roll back');
  assert.deepEqual(namesOf(plan.apply), ['horizon']);
});

for (const [tag, before] of [
  ['{release}-debian', '{release}-debian'],
  ['2025.2-debian', '2026.1-debian'],
] as const)
  test(`going back leaves databases and queues at their release and image: ${tag}`, () => {
    const openstack = cloud({ release: '2025.2', tag });
    const at = cloud({ tag: before });
    const services = servicesAt('2026.1', at);
    const order: string[] = [];
    for (let plan; (plan = planOf(openstack, services)).apply.length > 0; order.push(...namesOf(plan.apply)))
      for (const { name, spec, digest } of plan.apply) services.set(name, service(name, spec, digest));
    assert.deepEqual(order.toSorted(), UPGRADE_STAGES.slice(1).flat().toSorted());
    const plan = planOf(openstack, services);
    assert.equal(plan.kind, 'apply');
    assert.ok(plan.services.every(({ state }) => state === 'Ready'));
    for (const name of UPGRADE_STAGES[0]) assert.equal(services.get(name)?.spec.tag, '2026.1-debian');
    assert.deepEqual(
      stepsTo('2025.2', openstack, servicesAt('2026.1', at)).filter((step) => /mariadb|rabbitmq/.test(step)),
      [],
    );
    // And the next upgrade to what they have finds them there.
    const again = planOf(at, services);
    assert.deepEqual([again.kind, namesOf(again.apply)], ['upgrade', UPGRADE_STAGES[1]]);
  });

test('other values go to all services at once, and not to those that an upgrade has not reached', () => {
  const values = { global: { region: 'two' } };
  assert.equal(planOf(cloud({ values }), servicesAt('2026.1', cloud())).apply.length, UPGRADE_STAGES.flat().length);
  const during = planOf(cloud({ values }), servicesAt('2025.2', cloud()));
  assert.deepEqual(namesOf(during.apply), UPGRADE_STAGES[0]);
});

test('a field that a person has changed is put back, one that is no longer wanted is removed', () => {
  const services = servicesAt('2026.1', cloud());
  const keystone = services.get('keystone')!;
  services.set('keystone', { ...keystone, spec: { ...keystone.spec, release: '2025.1' } });
  assert.deepEqual(namesOf(planOf(cloud(), services).apply).slice(0, 1), ['keystone']);
  const had = servicesAt('2026.1', cloud({ values: { a: 1 } }));
  assert.equal(planOf(cloud(), had).apply.length, UPGRADE_STAGES.flat().length);
});

test('pauseAfter holds back what comes later, in an upgrade only', () => {
  const openstack = cloud({ upgrade: { pauseAfter: ['mariadb'] } });
  const services = servicesAt('2025.2', openstack);
  for (const name of UPGRADE_STAGES[0]) services.set(name, servicesAt('2026.1', openstack).get(name)!);
  const plan = planOf(openstack, services);
  assert.deepEqual([plan.pausedAfter, plan.apply], [['mariadb'], []]);
  assert.deepEqual(planOf(openstack, servicesAt('2026.1', openstack)).pausedAfter, []);
});

test('an OpenStack owns the services that an earlier one, deleted with --cascade=orphan, has left', () => {
  const services = servicesAt('2026.1', cloud());
  const keystone = services.get('keystone')!;
  services.set('keystone', { ...keystone, metadata: { ...keystone.metadata, ownerReferences: [] } });
  assert.deepEqual(namesOf(planOf(cloud(), services).apply), ['keystone']);
});

test('a service of another OpenStack is not touched', () => {
  const services = servicesAt('2025.2', cloud({ services: { keystone: {} } }));
  const keystone = services.get('keystone')!;
  const owner = { apiVersion: '', kind: 'OpenStack', name: 'other', uid: 'other-uid', controller: true };
  services.set('keystone', { ...keystone, metadata: { ...keystone.metadata, ownerReferences: [owner] } });
  const plan = planOf(cloud({ services: { keystone: {} } }), services);
  assert.deepEqual(plan.apply, []);
  assert.equal(plan.services[0]?.message, 'OpenStackService keystone belongs to OpenStack other');
});

test('the steps of an upgrade name what runs, what runs together, and the pauses', () => {
  const openstack = cloud({
    upgrade: { pauseAfter: ['keystone'] },
    services: { keystone: {}, nova: {}, 'nova-cell': {} },
  });
  const services = servicesAt('2026.1', openstack);
  assert.deepEqual(stepsTo('2026.2', openstack, services), [
    'preflight: OpenStack supports the upgrade, all charts render, database and message queue are ready, no migration is unfinished, upgrade checks pass',
    'keystone: helm upgrade to 2026.2 (Jobs first), then wait until workloads and Jobs are complete',
    'pause: spec.upgrade.pauseAfter has keystone',
    'nova, nova-cell: helm upgrade to 2026.2 (Jobs first), then wait until workloads and Jobs are complete',
  ]);
  assert.deepEqual(stepsTo('2026.1', openstack, services), []);
  assert.match(stepsTo('2025.1', openstack, services)[0] ?? '', /^nova, nova-cell: helm upgrade --no-hooks/);
});

/** The services as they are after an upgrade with pauseBefore: applied as planned, with their last Jobs suspended. */
function heldAt(release: string, openstack: OpenStack): Map<string, OpenStackService> {
  const before = servicesAt('2025.2', openstack);
  const wanted = wantedServices({ spec: { ...openstack.spec, release } }, before);
  return new Map(
    wanted.map(({ name, spec, digest }) => {
      const one = service(name, spec, digest);
      const heldJobs = spec.values === undefined ? [] : [`${name}-db-contract`];
      return [name, { ...one, status: { ...one.status, heldJobs } }];
    }),
  );
}

const HELD = ['keystone', 'placement', 'glance', 'nova', 'nova-cell', 'neutron', 'cinder'];
const PAUSED = cloud({ upgrade: { pauseBefore: 'contract' } });

test('before contract, an upgrade is held where the service has such a phase, and nowhere on an installation', () => {
  const [first] = planOf(cloud({ ...PAUSED.spec }), new Map()).apply;
  assert.equal(first?.spec.values, undefined);
  const services = heldAt('2026.1', PAUSED);
  const plan = planOf(PAUSED, services);
  assert.deepEqual([plan.kind, plan.apply, plan.held], ['apply', [], HELD]);
  assert.deepEqual(services.get('keystone')?.spec.values, { upgrade: { stepwise: true, pauseBefore: 'contract' } });
  assert.deepEqual(services.get('nova-compute')?.spec.values, undefined);
});

test('the steps of an upgrade with pauseBefore end in the pause', () => {
  const steps = stepsTo('2026.1', PAUSED, servicesAt('2025.2', PAUSED));
  assert.equal(steps.at(-1), `pause: spec.upgrade.pauseBefore is contract; then contract of ${HELD.join(', ')}`);
});

test('without pauseBefore, all held services go on at once', () => {
  const plan = planOf(cloud(), heldAt('2026.1', PAUSED));
  assert.deepEqual(namesOf(plan.apply), HELD);
  assert.ok(plan.apply.every(({ spec }) => spec.values === undefined));
});

test('held services go back, and what has begun contract stops that for all', () => {
  const back = { ...PAUSED, spec: { ...PAUSED.spec, release: '2025.2' } };
  const services = heldAt('2026.1', PAUSED);
  const plan = planOf(back, services);
  assert.deepEqual([plan.kind, namesOf(plan.apply), plan.refused], ['roll back', ['horizon'], undefined]);
  const glance = services.get('glance') ?? assert.fail();
  const migrations = [{ name: 'glance', state: 'running', phase: 'contract', contracted: '2026.1' }];
  services.set('glance', { ...glance, status: { ...glance.status, migrations } });
  const refused = planOf(back, services);
  assert.match(stepsTo('2025.2', PAUSED, services).join(), /^refused: glance: .*2026\.1/);
  assert.match(refused.refused ?? '', /^glance: Lease kolla-db-sync-glance: contract of 2026\.1 has begun/);
  assert.deepEqual([refused.apply, refused.remove], [[], []]);
});
