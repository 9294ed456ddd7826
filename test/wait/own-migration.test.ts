import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../src/core/errors.ts';
import { laterMigrator, type StartingPod } from '../../src/wait/dependency/own-migration.ts';
import { scriptedClient, seen, wait } from './support.ts';

type Container = NonNullable<NonNullable<StartingPod['spec']>['initContainers']>[number];
const INIT: Container = { name: 'kolla-init', command: ['kolla-init'], args: ['--wait', 'db-sync/keystone'] };
const SYNC: Container = { name: 'migrate', restartPolicy: 'Always', command: ['kolla-db-sync', 'keystone', '--stay'] };
const podOf = (...initContainers: Container[]): StartingPod => ({ metadata: { name: 'me' }, spec: { initContainers } });

for (const [what, container] of [
  ['a sidecar', SYNC],
  ['an init container', { ...SYNC, restartPolicy: undefined }],
  [
    'a sidecar with its command line in args',
    { ...SYNC, command: undefined, args: ['/usr/bin/kolla-db-sync', 'keystone'] },
  ],
  ['a sidecar with a shell', { ...SYNC, command: ['sh', '-c', 'exec kolla-db-sync --release r1 keystone'] }],
  [
    'a sidecar with the Lease of that name',
    { ...SYNC, command: ['kolla-db-sync', 'nova', '--lease-name', 'keystone'] },
  ],
  ['a sidecar for the expand phase', { ...SYNC, command: ['kolla-db-sync', 'keystone', '--phase=expand'] }],
] as const) {
  test(`finds ${what} that runs the migration later in the Pod`, () => {
    const { restartPolicy, command, ...rest } = container;
    const later: Container = { ...rest, ...(restartPolicy && { restartPolicy }), ...(command && { command }) };
    assert.equal(laterMigrator(podOf(INIT, later), 'keystone', 'kolla-init'), 'migrate');
  });
}

for (const [what, pod, own] of [
  ['comes before the waiting container', podOf(SYNC, INIT), 'kolla-init'],
  ['migrates another service', podOf(INIT, { ...SYNC, command: ['kolla-db-sync', 'glance'] }), 'kolla-init'],
  ['is another program', podOf(INIT, { ...SYNC, command: ['kolla-init', '--wait', 'keystone'] }), 'kolla-init'],
  [
    'has a Lease of another name',
    podOf(INIT, { ...SYNC, env: [{ name: 'KOLLA_DB_SYNC_LEASE_NAME', value: 'k2' }] }),
    'kolla-init',
  ],
  ['waits for the same rollout', podOf(INIT, { ...SYNC, args: ['--phase', 'contract'] }), 'kolla-init'],
  [
    'reads its release from the environment',
    podOf(INIT, { ...SYNC, env: [{ name: 'KOLLA_DB_SYNC_PHASE', value: 'online' }] }),
    'kolla-init',
  ],
  ['comes after the waiting sidecar', podOf({ ...INIT, restartPolicy: 'Always' }, SYNC), 'kolla-init'],
  ['comes before the waiting service', podOf(SYNC), 'keystone'],
] as const) {
  test(`a container that ${what} blocks nothing`, () => assert.equal(laterMigrator(pod, 'keystone', own), undefined));
}

const DONE = seen({}, { annotations: { 'kolla-pod/state': 'done', 'kolla-pod/ready-for': '' } });
const OBJECTS = { '/api/v1/namespaces/own/pods/me': podOf(INIT, SYNC) };
const waiting = (objects: object, text = 'db-sync/keystone', self: { container?: undefined } = {}) =>
  wait([text], {
    kube: () => Promise.resolve(scriptedClient({ one: () => [DONE], objects: { ...objects } })),
    self: { podName: 'me', nodeName: 'node1', container: 'kolla-init', isInCluster: true, ...self },
  });

test('exits with code 65 for a wait for the migration of a later container of this Pod, and names both', async () => {
  const { done } = waiting(OBJECTS);
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(
      error.message,
      /^wait 'db-sync\/keystone': container migrate .* \(kolla-init\).*move migrate before kolla-init$/,
    );
    return true;
  });
});

for (const [what, done] of [
  ['the Pod cannot be read', () => waiting({})],
  ['the waiting container is unknown', () => waiting(OBJECTS, undefined, { container: undefined })],
  [
    'the Pod is malformed',
    () => waiting({ '/api/v1/namespaces/own/pods/me': podOf(INIT, { ...SYNC, args: [7 as unknown as string] }) }),
  ],
  ['the migration is in another namespace', () => waiting(OBJECTS, 'db-sync/keystone@other')],
] as const) {
  test(`a migration is waited for as usual if ${what}`, async () => await done().done);
}
