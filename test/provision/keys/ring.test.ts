import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dueAt,
  isKey,
  newKey,
  newRing,
  primaryOf,
  type Ring,
  rotated,
  type RotationRules,
} from '../../../src/provision/keys/ring.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const RULES: RotationRules = { settleMs: HOUR / 4, lifetimeMs: 49 * HOUR, keep: 3 };

/** The ring after rotations at this interval, and how many keys it had after each rotation. */
function rotations(count: number, everyMs: number, rules: RotationRules = RULES): { ring: Ring; sizes: number[] } {
  let ring = newRing(START);
  const sizes = [];
  for (let i = 1; i <= count; i++) {
    const next = rotated(ring, rules, START + i * everyMs);
    assert.equal(next.kind, 'rotated');
    ({ ring } = next as { ring: Ring });
    sizes.push(ring.keys.size);
  }
  return { ring, sizes };
}

test('a new ring is a primary and a staged Fernet key, both different', () => {
  const { keys } = newRing(START);
  assert.deepEqual([...keys.keys()], [0, 1]);
  assert.ok([...keys.values()].every(isKey));
  assert.equal(new Set([...keys.values(), newKey()]).size, 3);
});

test('a rotation makes the staged key the primary, and no replica lacks a key in use', () => {
  const before = newRing(START);
  const next = rotated(before, RULES, START + HOUR);
  assert.equal(next.kind, 'rotated');
  const { ring } = next as { ring: Ring };
  assert.equal(primaryOf(ring), 2);
  // A replica with the new ring decrypts data of the old primary key, and vice versa.
  assert.ok([...ring.keys.values()].includes(before.keys.get(primaryOf(before)!)!));
  assert.ok([...before.keys.values()].includes(ring.keys.get(2)!));
  assert.ok(![...before.keys.values()].includes(ring.keys.get(0)!));
});

test('a rotation is too early while a replica may lack the last change of any client', () => {
  const ring = { ...newRing(START), changedAt: START + HOUR };
  assert.equal(dueAt(ring, RULES), START + HOUR + RULES.settleMs);
  assert.deepEqual(rotated(ring, RULES, START + HOUR + RULES.settleMs - 1), {
    kind: 'early',
    dueAt: dueAt(ring, RULES),
  });
  assert.equal(rotated(ring, RULES, START + HOUR + RULES.settleMs).kind, 'rotated');
});

test('with a weekly rotation there are three keys, as in Keystone', () => {
  assert.deepEqual(rotations(5, 7 * 24 * HOUR).sizes, [3, 3, 3, 3, 3]);
});

test('with a daily rotation and tokens of 49 hours, each key is kept while a token encrypted with it may be valid', () => {
  const { ring, sizes } = rotations(8, 24 * HOUR);
  // The staged key, the primary key, and keys whose use ended now, 24 and 48 hours ago.
  assert.deepEqual(sizes, [3, 4, 5, 5, 5, 5, 5, 5]);
  assert.deepEqual(
    [...ring.keys.keys()].toSorted((a, b) => a - b),
    [0, 6, 7, 8, 9],
  );
});

test("reports how long a key is needed, including the replicas' delay", () => {
  const { ring } = rotations(1, 24 * HOUR);
  const next = rotated(ring, RULES, START + 48 * HOUR);
  assert.ok(next.kind === 'rotated');
  assert.deepEqual([...next.needed], [[1, START + 24 * HOUR + 49 * HOUR + RULES.settleMs]]);
});

test('more keys are kept if the service requires it', () => {
  assert.deepEqual(rotations(5, 7 * 24 * HOUR, { ...RULES, keep: 5 }).sizes, [3, 4, 5, 5, 5]);
});

test('keys no longer needed are removed, oldest first, even if there are many', () => {
  const many: Ring = {
    ...newRing(START),
    keys: new Map([0, 3, 4, 8, 9].map((id) => [id, newKey()])),
    promoted: new Map(),
  };
  const next = rotated(many, RULES, START + 1000 * HOUR);
  assert.ok(next.kind === 'rotated');
  assert.deepEqual(next.dropped, [3, 4, 8]);
  assert.deepEqual(
    [...next.ring.keys.keys()].toSorted((a, b) => a - b),
    [0, 9, 10],
  );
});

test('keys without a record are removed only long after the last change', () => {
  const adopted: Ring = { keys: new Map([0, 1, 2].map((id) => [id, newKey()])), promoted: new Map(), changedAt: START };
  const next = rotated(adopted, RULES, START + HOUR);
  assert.ok(next.kind === 'rotated');
  assert.deepEqual(next.dropped, []);
  assert.deepEqual([...next.needed], [[1, START + 49 * HOUR + RULES.settleMs]]);
});

test('without a staged key no key is promoted, since no replica would know it', () => {
  const before: Ring = { ...newRing(START), keys: new Map([[4, newKey()]]) };
  const next = rotated(before, RULES, START + HOUR);
  assert.ok(next.kind === 'staged');
  assert.deepEqual(
    [...next.ring.keys.keys()].toSorted((a, b) => a - b),
    [0, 4],
  );
  assert.equal(next.ring.keys.get(4), before.keys.get(4));
});

test('in a ring with only a staged key, that key becomes the primary', () => {
  const before: Ring = { ...newRing(START), keys: new Map([[0, newKey()]]) };
  const next = rotated(before, RULES, START + HOUR);
  assert.ok(next.kind === 'rotated');
  assert.equal(next.ring.keys.get(1), before.keys.get(0));
});
