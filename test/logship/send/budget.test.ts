import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../../src/logship/send/limits.ts';

const open = new AbortController().signal;

test('there is room until the bytes are used up, including reserved ones', async () => {
  const budget = new Budget(100, 40);
  budget.take(59);
  assert.equal(budget.isSpent, false);
  await budget.room(open);
  budget.take(1);
  assert.equal(budget.isSpent, true);
});

test('a waiter continues when there is room, and not before', async () => {
  const budget = new Budget(100);
  budget.take(150);
  let isThrough = false;
  const waits = [budget.room(open), budget.room(open).then(() => (isThrough = true))];
  budget.give(50);
  await new Promise(setImmediate);
  assert.equal(isThrough, false);
  budget.give(1);
  await Promise.all(waits);
});

test('an abort ends the wait without an error', async () => {
  const budget = new Budget(100);
  budget.take(100);
  const stop = new AbortController();
  const wait = budget.room(stop.signal);
  stop.abort(new Error('enough'));
  await wait;
  assert.equal(budget.isSpent, true);
});
