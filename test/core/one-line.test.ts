import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnavailableError } from '../../src/core/errors.ts';
import { oneLine } from '../../src/core/one-line.ts';
import { scriptedClient, seen, wait } from '../wait/support.ts';

const HOSTILE = 'a\n08:00:00.000 error we never said this \u001B[2J\u202Etxt.exe';

test("a Job's failure message stays on one line, without control characters", async () => {
  const failure = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: HOSTILE };
  const client = scriptedClient({ one: () => [seen({ status: { conditions: [failure] } })] });
  const { done } = wait(['job/a'], { kube: () => Promise.resolve(client) });
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof UnavailableError);
    assert.match(error.message, /BackoffLimitExceeded: a 08:00:00\.000 error we never said this {2}\[2J txt\.exe; /);
    return true;
  });
});

test('text from an object is logged on one line of limited length', async () => {
  const status = (text: string) => seen({ status: { conditions: [{ type: 'Ready', status: 'False', reason: text }] } });
  const client = scriptedClient({ one: () => [status(HOSTILE), status('x'.repeat(100_000))] });
  const { done, messages } = wait(['pod/a?condition=Ready'], { kube: () => Promise.resolve(client), timeoutMs: 300 });
  await assert.rejects(done);
  const [, hostile = '', long = ''] = messages();
  assert.match(hostile, /^pod\/a\?condition=Ready: Ready=False \(a 08:00/);
  for (const message of [hostile, long]) assert.doesNotMatch(message, /[\p{Cc}\p{Bidi_Control}]/u);
  assert.ok(long.length < 1000);
});

test('a surrogate pair is not split', () => {
  assert.ok(oneLine('\u{1F600}'.repeat(1000)).isWellFormed());
  assert.ok(oneLine(`x${'\u{1F600}'.repeat(1000)}`).isWellFormed());
});
