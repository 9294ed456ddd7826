import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ages } from '../../src/operator/service/ages.ts';

const NOON = new Date('2026-11-26T12:00:00Z');
const later = (ms: number) => new Date(NOON.getTime() + ms);
const MINUTE_MS = 60_000;

test('a clock that is set changes no age of a revision that was seen', (t) => {
  let passed = 0;
  t.mock.method(performance, 'now', () => passed);
  const ages = new Ages();
  const revision = { revision: 5, updated: NOON };
  assert.equal(ages.ageMs('nova', revision, later(1000)), 1000, 'a restarted process knows the time before');
  passed = 5 * MINUTE_MS;
  assert.equal(ages.ageMs('nova', revision, later(-60 * MINUTE_MS)), 5 * MINUTE_MS + 1000);
  assert.equal(ages.ageMs('nova', revision, later(60 * MINUTE_MS)), 5 * MINUTE_MS + 1000);
});

test('a revision from the future, or without a valid time, ages from when it was seen', (t) => {
  let passed = 0;
  t.mock.method(performance, 'now', () => passed);
  const ages = new Ages();
  const [future, unknown] = [later(60 * MINUTE_MS), new Date(Number.NaN)];
  assert.equal(ages.ageMs('nova', { revision: 5, updated: future }, NOON), 0);
  assert.equal(ages.ageMs('glance', { revision: 1, updated: unknown }, NOON), 0);
  passed = 1000;
  assert.equal(ages.ageMs('nova', { revision: 5, updated: future }, NOON), 1000);
  assert.equal(ages.ageMs('glance', { revision: 1, updated: unknown }, NOON), 1000);
  assert.equal(ages.ageMs('nova', { revision: 6, updated: NOON }, NOON), 0, 'the next revision');
});
