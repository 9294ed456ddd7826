import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaseWatch } from '../../../src/migrate/lease/free-lease.ts';
import type { LeaseObject } from '../../../src/migrate/lease/object.ts';

function leaseOf(holderIdentity: string, renewTime = '1', leaseDurationSeconds = 3): LeaseObject {
  return { metadata: { name: 'x' }, spec: { holderIdentity, renewTime, leaseDurationSeconds } };
}

test('a missing Lease, or one without a holder, is free at once', () => {
  const freeInMs = leaseWatch(3000);
  assert.equal(freeInMs(undefined), 0);
  assert.equal(freeInMs({ metadata: { name: 'x' } }), 0);
  assert.equal(freeInMs(leaseOf('')), 0);
});

test('a held Lease is free once it was observed without a renewal for its duration', () => {
  let now = 1000;
  const freeInMs = leaseWatch(3000, () => now);
  assert.equal(freeInMs(leaseOf('a')), 3000);
  now += 2000;
  assert.equal(freeInMs(leaseOf('a')), 1000);
  assert.equal(freeInMs(leaseOf('a', '2')), 3000);
  now += 3000;
  assert.equal(freeInMs(leaseOf('a', '2')), 0);
});

test("the longer of the holder's and the waiter's lease durations applies", () => {
  const freeInMs = leaseWatch(3000, () => 0);
  assert.equal(freeInMs(leaseOf('a', '1', 60)), 60_000);
  assert.equal(freeInMs(leaseOf('b', '1', 1)), 3000);
});

test('a renewTime in the past or the future makes no difference', () => {
  const freeInMs = leaseWatch(3000, () => 0);
  for (const time of ['1970-01-01T00:00:00.000000Z', '2100-01-01T00:00:00.000000Z', 'nonsense'])
    assert.equal(freeInMs(leaseOf('a', time)), 3000);
});
