import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkQueue } from '../../src/operator/runtime/queue.ts';
import { until } from '../support/until.ts';

test('never handles a key twice at the same time, and handles it again if it was added meanwhile', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const queue = new WorkQueue({
    handle: async (key) => {
      await gates[begun.push(key) - 1]?.promise;
      return {};
    },
    onError: assert.ifError,
    maxConcurrentReconciles: 4,
    signal: stop.signal,
  });
  queue.add('a');
  for (const _ of [1, 2, 3]) queue.add('a');
  assert.deepEqual(begun, ['a']);
  gates[0]?.resolve();
  await until('the second turn', () => (begun.length === 2 ? true : undefined));
  gates[1]?.resolve();
  stop.abort();
  await queue.ended();
  assert.deepEqual(begun, ['a', 'a'], 'three additions are one turn');
});

test('handles at most so many keys at once, the others in their order', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const queue = new WorkQueue({
    handle: async (key) => {
      begun.push(key);
      await gate.promise;
      return {};
    },
    onError: assert.ifError,
    maxConcurrentReconciles: 2,
    signal: stop.signal,
  });
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  assert.deepEqual(begun, ['a', 'b']);
  gate.resolve();
  await until('all turns', () => (begun.length === 4 ? true : undefined));
  stop.abort();
  await queue.ended();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
});

test('begins a key that is last when nothing else waits or is handled', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const gates = new Map(['a', 'b', 'c', 'last'].map((key) => [key, Promise.withResolvers<void>()]));
  const queue = new WorkQueue({
    handle: async (key) => {
      begun.push(key);
      await gates.get(key)?.promise;
      return {};
    },
    onError: assert.ifError,
    maxConcurrentReconciles: 2,
    isLast: (key) => key === 'last',
    signal: stop.signal,
  });
  for (const key of ['a', 'last', 'b', 'c']) queue.add(key);
  assert.deepEqual(begun, ['a', 'b']);
  gates.get('a')?.resolve();
  await until('the third turn', () => (begun.length === 3 ? true : undefined));
  gates.get('b')?.resolve();
  gates.get('c')?.resolve();
  await until('the last turn', () => (begun.length === 4 ? true : undefined));
  assert.deepEqual(begun, ['a', 'b', 'c', 'last']);
  // The others do not wait for it.
  queue.add('a');
  assert.equal(begun.at(-1), 'a');
  gates.get('last')?.resolve();
  stop.abort();
  await queue.ended();
});

test('reports an error and retries the key', async () => {
  const stop = new AbortController();
  const errors: number[] = [];
  let turns = 0;
  const queue = new WorkQueue({
    handle: () => (++turns === 1 ? Promise.reject(new Error('refused')) : Promise.resolve({})),
    onError: (_, error, requeueAfterMs) => void (error instanceof Error && errors.push(requeueAfterMs)),
    maxConcurrentReconciles: 1,
    signal: stop.signal,
  });
  queue.add('a');
  await until('the retry', () => (turns === 2 ? true : undefined));
  stop.abort();
  await queue.ended();
  assert.equal(errors.length, 1);
  assert.ok(errors[0]! >= 500 && errors[0]! <= 1000, `${errors[0]}`);
});

test('takes nothing after its end, and ends after the last turn', async () => {
  const stop = new AbortController();
  const gate = Promise.withResolvers<void>();
  let turns = 0;
  const queue = new WorkQueue({
    handle: async () => {
      turns++;
      await gate.promise;
      return { requeueAfterMs: 0 };
    },
    onError: assert.ifError,
    maxConcurrentReconciles: 1,
    signal: stop.signal,
  });
  queue.add('a');
  queue.add('b');
  stop.abort();
  const ended = queue.ended();
  queue.add('c');
  gate.resolve();
  await ended;
  assert.equal(turns, 1);
});

test('a delay that is longer than a timer can be is no spin', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const queue = new WorkQueue({
    handle: (key) => Promise.resolve(begun.push(key)).then(() => ({})),
    onError: assert.ifError,
    maxConcurrentReconciles: 1,
    signal: stop.signal,
  });
  queue.addAfter('late', 2 ** 31);
  queue.addAfter('soon', 50);
  await until('a turn', () => (begun.length > 0 ? true : undefined));
  stop.abort();
  await queue.ended();
  assert.deepEqual(begun, ['soon']);
});
