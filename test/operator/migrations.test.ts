import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationStatus, noWayBack, openMigration } from '../../src/operator/service/migrations.ts';

function lease(state: string, phase: string, release: string) {
  const annotations = { 'kolla-pod/state': state, 'kolla-pod/phase': phase, 'kolla-pod/release': release };
  return { metadata: { name: 'kolla-db-sync-keystone', annotations } };
}

test('contract counts from its first moment, and a later Job of the same release does not hide it', () => {
  const running = migrationStatus('keystone', lease('running', 'contract', '2026.1-ubuntu-noble'), undefined);
  assert.equal(running.contracted, '2026.1');
  const again = migrationStatus('keystone', lease('done', 'expand', '2026.1-ubuntu-noble'), running);
  assert.equal(again.contracted, '2026.1');
  assert.match(noWayBack([again], '2025.2') ?? '', /contract of 2026\.1 has begun, and 2025\.2 does not run/);
  assert.equal(noWayBack([again], '2026.1'), undefined);
});

test('expand and migrate leave the way back open; a complete migration does so only if the tool has a single step', () => {
  const contracted = (name: string, phase: string) =>
    migrationStatus(name, lease('done', phase, '2026.1'), undefined).contracted;
  assert.deepEqual(
    [contracted('keystone', 'expand'), contracted('keystone', 'migrate'), contracted('heat', 'all')],
    [undefined, undefined, undefined],
  );
  assert.deepEqual([contracted('keystone', 'all'), contracted('nova', 'online')], ['2026.1', '2026.1']);
});

test('an unfinished migration to another release is named, one to the same release is resumed', () => {
  const failed = [migrationStatus('keystone', lease('interrupted', 'migrate', '2026.1'), undefined)];
  assert.match(openMigration(failed, '2026.2') ?? '', /migrate of 2026\.1 is interrupted/);
  assert.equal(openMigration(failed, '2026.1'), undefined);
  const running = [migrationStatus('keystone', lease('running', 'migrate', '2026.1'), undefined)];
  assert.match(openMigration(running, '2026.1') ?? '', /is running/);
});
