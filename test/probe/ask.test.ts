import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from '../../src/probe/ask/ask.ts';
import { healthyAs, type Question } from '../../src/probe/ask/verdict.ts';

/** A check that looks at its signal between two steps, as those that read /proc do, and meets the deadline there. */
function stoppedBy(deadline: AbortController): Question['ask'] {
  return async (signal) => {
    deadline.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    signal.throwIfAborted();
    return await Promise.resolve(healthyAs('reached'));
  };
}

test('a check that stops at its deadline is unhealthy, not a defect of ours', async () => {
  const deadline = new AbortController();
  const never = new AbortController().signal;
  const verdict = await answerOf({ ask: stoppedBy(deadline) }, 60_000, never, deadline.signal);
  assert.equal(verdict.healthy, false);
  assert.match(verdict.healthy ? '' : verdict.reason, /^no response in 1m$/);
});

test('another error of a check is passed on, also after the deadline', async () => {
  const deadline = new AbortController();
  const ask: Question['ask'] = () => {
    deadline.abort();
    return Promise.reject(new Error('a defect'));
  };
  await assert.rejects(answerOf({ ask }, 60_000, new AbortController().signal, deadline.signal), /a defect/);
});

test('a stop is no verdict', async () => {
  const stop = new AbortController();
  const asked = answerOf({ ask: stoppedBy(stop) }, 60_000, stop.signal, new AbortController().signal);
  await assert.rejects(asked, { name: 'TimeoutError' });
});
