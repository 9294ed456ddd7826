import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  emptyLease,
  holderIn,
  released,
  renewed,
  saysSo,
  sightOf,
  taken,
  withNews,
  transitionsIn,
  type LeaseObject,
  type News,
} from '../../../src/migrate/lease/object.ts';
import { dbSyncLease } from '../../../src/kube/db-sync-lease.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const fresh = emptyLease(dbSyncLease('openstack', 'keystone'));
const news = (more: Partial<News> = {}): News => ({
  state: 'done',
  phase: 'all',
  release: 'r1',
  token: 7,
  isLastBeforeRollout: true,
  isOneWay: false,
  ...more,
});
const annotations = (lease: LeaseObject) => lease.metadata.annotations ?? {};

test('a taken Lease names its holder, and counts transitions', () => {
  const lease = taken(fresh, 'a', 2500, NOW);
  assert.equal(holderIn(lease), 'a');
  assert.equal(transitionsIn(lease), 1);
  assert.equal(lease.spec?.leaseDurationSeconds, 3);
  assert.equal(lease.spec?.renewTime, '2026-11-21T10:00:00.000000Z');
  assert.equal(transitionsIn(taken(released(lease, NOW), 'a', 2500, NOW)), 2);
});

test('a renewal always changes the Lease, even if the clock was set back', () => {
  const lease = taken(fresh, 'a', 3000, NOW);
  const again = renewed(lease, new Date('2020-01-01T00:00:00.000Z'));
  assert.notEqual(sightOf(again), sightOf(lease));
  assert.ok((again.spec?.renewTime ?? '') > (lease.spec?.renewTime ?? ''));
});

test('manual edits do not prevent taking the Lease', () => {
  const spec = { leaseTransitions: 2 ** 31 - 1, renewTime: '9999-12-31T23:59:59.999999Z' };
  const lease = taken({ ...fresh, spec }, 'a', 3000, NOW);
  assert.equal(transitionsIn(lease), 1);
  assert.equal(lease.spec?.renewTime, '2026-11-21T10:00:00.000000Z');
});

test("other clients' metadata is not a renewal, and is kept", () => {
  const lease = taken(fresh, 'a', 3000, NOW);
  const labelled = { ...lease, metadata: { ...lease.metadata, labels: { x: 'y' }, annotations: { by: 'somebody' } } };
  assert.equal(sightOf(labelled), sightOf(lease));
  const after = released(withNews(labelled, news(), NOW), NOW);
  assert.deepEqual(after.metadata.labels, { x: 'y' });
  assert.equal(annotations(after)['by'], 'somebody');
});

test('a released Lease has no holder, and keeps its count of transitions', () => {
  const lease = released(taken(fresh, 'a', 3000, NOW), NOW);
  assert.equal(holderIn(lease), '');
  assert.equal('holderIdentity' in (lease.spec ?? {}), false);
  assert.equal(transitionsIn(lease), 1);
});

test('a completed migration publishes the release whose code may start', () => {
  assert.deepEqual(annotations(withNews(fresh, news(), NOW)), {
    'kolla-pod/state': 'done',
    'kolla-pod/phase': 'all',
    'kolla-pod/release': 'r1',
    'kolla-pod/token': '7',
    'kolla-pod/ended': '2026-11-21T10:00:00.000Z',
    'kolla-pod/ready-for': 'r1',
    'kolla-pod/format': '1',
  });
});

test('without a release name the release annotation is absent, and ready-for is empty but set', () => {
  const done = annotations(withNews(withNews(fresh, news(), NOW), news({ release: '' }), NOW));
  assert.equal('kolla-pod/release' in done, false);
  assert.equal(done['kolla-pod/ready-for'], '');
});

for (const [what, next, ready] of [
  ['the whole migration starts', news({ state: 'running' }), undefined],
  ['a phase before a rollout starts', news({ state: 'running', phase: 'expand' }), 'old'],
  [
    'a phase that is not the last before a rollout is done',
    news({ phase: 'expand', isLastBeforeRollout: false }),
    'old',
  ],
  ['the last phase before a rollout is done', news({ phase: 'migrate' }), 'r1'],
  ['the last phase before a rollout has failed', news({ phase: 'migrate', state: 'failed' }), 'old'],
  ['a phase after the rollout is done', news({ phase: 'contract', isLastBeforeRollout: false }), 'old'],
  [
    'a phase after the rollout is interrupted',
    news({ phase: 'contract', state: 'lost', isLastBeforeRollout: false }),
    'old',
  ],
] as const) {
  test(`when ${what}, ${ready === undefined ? 'no code may start' : ready === 'old' ? 'ready-for is unchanged' : 'code of the new release may start'}`, () => {
    const before = { ...fresh, metadata: { ...fresh.metadata, annotations: { 'kolla-pod/ready-for': 'old' } } };
    assert.equal(annotations(withNews(before, next, NOW))['kolla-pod/ready-for'], ready);
  });
}

test('a running migration has no end time', () => {
  const running = annotations(withNews(withNews(fresh, news(), NOW), news({ state: 'running' }), NOW));
  assert.equal('kolla-pod/ended' in running, false);
});

test('two records are equal only if state, phase, release and readiness are', () => {
  const lease = withNews(fresh, news(), NOW);
  assert.equal(saysSo(lease, news()), true);
  assert.equal(saysSo(undefined, news()), false);
  const later = { ...lease.metadata.annotations, 'kolla-pod/format': '2' };
  assert.equal(saysSo({ ...lease, metadata: { ...lease.metadata, annotations: later } }, news()), false);
  for (const other of [news({ state: 'failed' }), news({ phase: 'expand' }), news({ release: 'r2' })])
    assert.equal(saysSo(lease, other), false);
  assert.equal(saysSo(withNews(fresh, news({ isLastBeforeRollout: false }), NOW), news()), false);
});

test('the release that contracted the schema stays on the Lease, until an older one is done on a restored database', () => {
  const contract = news({ phase: 'contract', release: '2026.1', isLastBeforeRollout: false, isOneWay: true });
  const contracted = (lease: LeaseObject) => annotations(lease)['kolla-pod/contracted'];
  const begun = withNews(fresh, { ...contract, state: 'running' }, NOW);
  assert.equal(contracted(begun), '2026.1');
  assert.equal(contracted(withNews(begun, news({ phase: 'expand', release: '2026.1' }), NOW)), '2026.1');
  assert.equal(contracted(withNews(begun, news({ phase: 'expand', release: '2026.2' }), NOW)), '2026.1');
  const older = news({ phase: 'migrate', release: '2025.2' });
  assert.equal(contracted(withNews(begun, { ...older, state: 'failed' }, NOW)), '2026.1');
  assert.equal(contracted(withNews(begun, older, NOW)), undefined);
});

test('a record from before that annotation gets it with the next phase', () => {
  const { 'kolla-pod/contracted': _, ...before } = annotations(
    withNews(fresh, news({ phase: 'contract', release: '2026.1', isOneWay: true }), NOW),
  );
  const lease = { ...fresh, metadata: { ...fresh.metadata, annotations: before } };
  const next = withNews(lease, news({ phase: 'expand', release: '2026.2', state: 'running' }), NOW);
  assert.equal(annotations(next)['kolla-pod/contracted'], '2026.1');
});
