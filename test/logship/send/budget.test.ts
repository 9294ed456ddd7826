import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Budget } from '../../../src/logship/batch/limits.ts';

const open = new AbortController().signal;

test('there is room until the bytes are used up, including reserved ones', async () => {
  const budget = new Budget(() => 100, 40);
  budget.take(59);
  assert.equal(budget.isSpent, false);
  await budget.room(open);
  budget.take(1);
  assert.equal(budget.isSpent, true);
});

test('a waiter continues when there is room, and not before', async () => {
  const budget = new Budget(() => 100);
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
  const budget = new Budget(() => 100);
  budget.take(100);
  const stop = new AbortController();
  const wait = budget.room(stop.signal);
  stop.abort(new Error('enough'));
  await wait;
  assert.equal(budget.isSpent, true);
});

test('aborted waits do not accumulate in memory while there is no room', async () => {
  const budget = new Budget(() => 100);
  budget.take(100);
  const reasons: WeakRef<Error>[] = [];
  for (let nth = 0; nth < 100; nth++) {
    const limit = new AbortController();
    const wait = budget.room(limit.signal);
    const reason = new Error('enough');
    reasons.push(new WeakRef(reason));
    limit.abort(reason);
    await wait;
  }
  setFlagsFromString('--expose-gc');
  // A dereferenced WeakRef target stays alive until the end of the turn: dereference only once, after the collection.
  await new Promise((resolve) => setImmediate(resolve));
  (runInNewContext('gc') as () => void)();
  assert.ok(reasons.filter((reason) => reason.deref() !== undefined).length < 50);
});
