import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockNameOf } from '../../../src/migrate/lock/lock.ts';

test("a database's lock has a recognizable name", () => {
  assert.equal(lockNameOf('keystone'), 'kolla-db-sync:keystone');
});

test("the longest database's lock has a valid unique name", () => {
  const [a, b] = [lockNameOf(`${'x'.repeat(63)}a`), lockNameOf(`${'x'.repeat(63)}b`)];
  assert.ok(a.length <= 64);
  assert.notEqual(a, b);
});
