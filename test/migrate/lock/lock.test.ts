import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockNameOf } from '../../../src/migrate/fence/lock.ts';

test("the name of a database's lock is recognizable", () => {
  assert.equal(lockNameOf('keystone'), 'kolla-db-sync:keystone');
});

test('the lock of a database with the longest name has a valid, unique name', () => {
  const [a, b] = [lockNameOf(`${'x'.repeat(63)}a`), lockNameOf(`${'x'.repeat(63)}b`)];
  assert.ok(a.length <= 64);
  assert.notEqual(a, b);
});
