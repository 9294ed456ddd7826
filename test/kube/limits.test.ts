import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, errorFromStatus } from '../../src/kube/api-error.ts';
import { JOB, job, line, events, scriptedApi, type Handler } from './support.ts';

/** A response that does not end. */
function endless(status: number, piece: string): Handler {
  return (_, response) => {
    response.on('error', () => {});
    response.writeHead(status, { 'content-type': 'application/json' });
    const more = () => void (response.destroyed || response.write(piece, more));
    more();
  };
}

const PIECE = ' '.repeat(1_000_000);

test('an object that does not end is rejected with the limit', async (t) => {
  await using api = await scriptedApi(endless(200, PIECE));
  using client = await api.client();
  await assert.rejects(client.get('/api/v1/endless', { signal: t.signal }), {
    name: 'ResponseTooLargeError',
    message: 'a response of more than 16 MiB',
  });
});

test('of an error response only the beginning is read', async (t) => {
  await using api = await scriptedApi(endless(500, PIECE));
  using client = await api.client();
  await assert.rejects(client.get('/api/v1/endless', { signal: t.signal }), { name: 'ApiError', status: 500 });
});

test('a watch event that does not end is reported, and the watch restarts', async (t) => {
  await using api = await scriptedApi(endless(200, 'x'.repeat(1_000_000)), events(line('ADDED', job('7'))));
  using client = await api.client();
  const seen: string[] = [];
  for await (const observation of client.watch(JOB, { signal: t.signal, warn: () => {} })) {
    seen.push(observation.kind === 'trouble' ? observation.reason : observation.kind);
    if (observation.kind === 'object') break;
  }
  assert.match(seen[0] ?? '', /^a line of more than 16777216 bytes/);
});

for (const [seconds, ms] of [
  [3, 3000],
  [1e9, 300_000],
  [-5, 0],
  ['soon', 0],
  [Infinity, 0],
] as const)
  test(`retryAfterSeconds: ${seconds} is a pause of ${ms} ms`, () => {
    const error = errorFromStatus({ code: 429, message: 'slow down', details: { retryAfterSeconds: seconds } });
    assert.ok(error instanceof ApiError);
    assert.equal(error.retryAfterMs, ms);
  });
