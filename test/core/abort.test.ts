import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { unlessAborted, within } from '../../src/core/abort.ts';

describe('unlessAborted()', () => {
  const stopped = AbortSignal.abort(new Error('stopped'));

  test("rejects with the signal's reason, and handles a later rejection of the promise", async () => {
    const late = Promise.withResolvers<never>();
    await assert.rejects(unlessAborted(late.promise, stopped), /stopped/);
    // An unhandled rejection fails the test, and ends a helper as a bug.
    late.reject(new Error('the session was closed'));
    await turn();
  });

  test('settles with the promise before the signal is aborted, and with the reason afterwards', async () => {
    const over = new AbortController();
    assert.equal(await unlessAborted(Promise.resolve(1), over.signal), 1);
    const late = Promise.withResolvers<never>();
    const waiting = unlessAborted(late.promise, over.signal);
    over.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    late.reject(new Error('too late'));
    await turn();
  });
});

test('within() rejects after its timeout, and handles a later rejection of the promise', async () => {
  const late = Promise.withResolvers<never>();
  await assert.rejects(within(late.promise, 1, 'no answer'), /^Error: no answer in 0.001 s$/);
  late.reject(new Error('too late'));
  await turn();
});
