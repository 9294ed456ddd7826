import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Release } from '../../src/operator/helm/release.ts';
import { decide, type Facts } from '../../src/operator/service/decide.ts';
import { labelsFor, type Desired } from '../../src/operator/service/desired.ts';

const NOW = new Date('2026-11-26T12:00:00Z');
const HOUR_MS = 3_600_000;
const chart = { name: 'keystone', version: '1.0.0', reference: '/charts/keystone' };
const DESIRED: Desired = {
  chart,
  values: { a: 1 },
  secrets: [],
  digest: 'd',
  release: '2026.1',
  forceConflicts: false,
};
const OURS = { labels: labelsFor(DESIRED, 'gone', 5) };

function release(status: string, more: Partial<Release> = {}): Release {
  const updated = new Date(NOW.getTime() - 1000);
  const about = {
    revision: 5,
    description: 'failed',
    updated,
    chart,
    values: { a: 1 },
    objects: [],
    labels: {},
    isServerSide: true,
  };
  return { ...about, status, ...more };
}

function step(newest: Release | undefined, more: Partial<Facts> = {}) {
  const ageMs = NOW.getTime() - (newest?.updated ?? NOW).getTime();
  const facts = { attempted: [], failures: 1, missing: [], timeoutMs: HOUR_MS, ageMs };
  return decide(DESIRED, { newest, ...facts, ...more });
}

test('installs what is not installed', () => {
  assert.equal(step(undefined).do, 'install');
  assert.equal(step(release('uninstalled')).do, 'install');
});

test('observes a release that is as wanted, whoever has made it', () => {
  assert.equal(step(release('deployed')).do, 'observe');
  assert.equal(step(release('deployed', { values: {}, ...OURS })).do, 'observe');
});

test('upgrades a release with another chart, other values, or by another user after ours', () => {
  assert.equal(step(release('deployed', { chart: { ...chart, version: '0.9.0' } })).do, 'upgrade');
  assert.equal(step(release('deployed', { values: { a: 2 } })).do, 'upgrade');
  // Helm copies our labels to the next revision.
  assert.equal(step(release('deployed', { values: { a: 2 }, ...OURS, revision: 6 })).do, 'upgrade');
});

test('unlocks an operation that an operator has left, at once', () => {
  for (const status of ['pending-install', 'pending-upgrade', 'pending-rollback'])
    assert.equal(step(release(status, OURS)).do, 'unlock');
});

test("waits for another user's operation until it has exceeded its own timeout", () => {
  const waits = step(release('pending-upgrade'));
  assert.deepEqual(waits.do === 'wait' && [waits.reason, waits.requeueAfterMs], [
    'AnotherOperation',
    HOUR_MS + 299_000,
  ]);
  assert.equal(step(release('pending-upgrade', { updated: new Date(NOW.getTime() - 2 * HOUR_MS) })).do, 'unlock');
  // Labels that Helm has copied from a revision of ours.
  assert.equal(step(release('pending-upgrade', { ...OURS, revision: 6 })).do, 'wait');
});

test('tries a failed upgrade again later, more rarely each time, and at once when it was interrupted', () => {
  const waits = (failures: number) => {
    const again = step(release('failed', OURS), { failures });
    return again.do === 'retry later' ? again.requeueAfterMs : again.do;
  };
  assert.deepEqual([waits(1), waits(2), waits(3)], [4000, 9000, 19_000]);
  assert.equal(waits(50), 15 * 60_000 - 1000);
  for (const description of ['interrupted while pending-upgrade', 'Upgrade "keystone" failed: context canceled'])
    assert.equal(step(release('failed', { ...OURS, description })).do, 'upgrade');
});

test('a change of the object is tried at once after a failure', () => {
  assert.equal(step(release('failed', { values: { a: 2 } })).do, 'upgrade');
});

test('goes back without hooks once a newer release was begun', () => {
  assert.equal(step(release('failed', { values: { a: 2 } }), { attempted: ['2026.1', '2026.2'] }).do, 'roll back');
  assert.equal(step(release('deployed', { values: { a: 2 } }), { attempted: ['2025.2'] }).do, 'upgrade');
});

test('creates deleted objects again, not more often than once a minute', () => {
  const missing = ['deployment/keystone'];
  assert.equal(step(release('deployed'), { missing }).do, 'wait');
  assert.equal(step(release('deployed', { updated: new Date(NOW.getTime() - 61_000) }), { missing }).do, 'upgrade');
});

test('tries a conflict again at once when Helm may take the field, and only once', () => {
  const description =
    'Upgrade "keystone" failed: conflict occurred while applying object openstack/keystone apps/v1, Kind=Deployment: ' +
    'Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas';
  const forced = { ...DESIRED, digest: 'forced', forceConflicts: true };
  const facts = { attempted: [], failures: 1, missing: [], timeoutMs: HOUR_MS, ageMs: 1000 };
  const after = (labels: Release['labels'], what: string) =>
    decide(forced, { newest: release('failed', { labels, description: what }), ...facts }).do;
  assert.equal(after(OURS.labels, description), 'upgrade');
  assert.equal(after(labelsFor(forced, 'gone', 5), description), 'retry later');
  assert.equal(after(OURS.labels, 'Upgrade "keystone" failed: another error'), 'retry later');
});
