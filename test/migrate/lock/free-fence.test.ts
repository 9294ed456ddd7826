import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeFence, leaseObserver } from '../../../src/migrate/fence/free-fence.ts';
import type { FenceRow } from '../../../src/migrate/fence/fence.ts';

const LEASE_MS = 8;
const RUNNING: FenceRow = {
  token: 3,
  state: 'running',
  holder: 'host/1/ab',
  service: 'keystone',
  release: 'r1',
  phase: 'expand',
  work: 'w',
  started: '2026-01-31 10:00:00.000',
  renewed: '2026-01-31 10:00:05.000',
  ended: undefined,
  exitCode: undefined,
};

/** An observer with a clock that the test moves, and its log. */
function observing(leaseMs = LEASE_MS) {
  let nowMs = 1000;
  const observer = leaseObserver(leaseMs, () => nowMs);
  const said: string[] = [];
  const { signal } = new AbortController();
  const isFree = (row: FenceRow, deadline = Infinity) =>
    freeFence(row, observer, { deadline, signal, say: (text) => void said.push(text) });
  return { isFree, said, pass: (ms: number) => (nowMs += ms) };
}

test('a fence whose holder has finished is free', async () => {
  for (const state of ['new', 'done', 'failed', 'interrupted', 'lost'] as const) {
    assert.equal(await observing().isFree({ ...RUNNING, state }), true);
  }
});

test("a running migration's fence is free only after a lease without change, regardless of its timestamps", async () => {
  const { isFree, pass, said } = observing();
  assert.equal(await isFree(RUNNING), false);
  pass(LEASE_MS - 1);
  assert.equal(await isFree(RUNNING), false);
  pass(1);
  assert.equal(await isFree(RUNNING), true);
  assert.match(said[0] ?? '', /host\/1\/ab has been migrating keystone of release r1 \(expand\).*token 3/);
});

test('a renewal and a new holder both restart the lease duration', async () => {
  const { isFree, pass } = observing();
  await isFree(RUNNING);
  pass(LEASE_MS - 1);
  await isFree({ ...RUNNING, renewed: '2026-01-31 10:00:06.000' });
  pass(LEASE_MS - 1);
  assert.equal(await isFree({ ...RUNNING, renewed: '2026-01-31 10:00:06.000' }), false);
  await isFree({ ...RUNNING, token: 4 });
  pass(LEASE_MS - 1);
  assert.equal(await isFree({ ...RUNNING, token: 4 }), false);
});

test('the deadline names the holder', async () => {
  await assert.rejects(observing().isFree(RUNNING, performance.now() - 1), /until the deadline: host\/1\/ab/);
});

test('the wait is aborted by its signal', async () => {
  const reason = new Error('ended by SIGTERM');
  const say = () => {};
  const observer = leaseObserver(60_000);
  await assert.rejects(
    freeFence(RUNNING, observer, { deadline: Infinity, signal: AbortSignal.abort(reason), say }),
    reason,
  );
});
