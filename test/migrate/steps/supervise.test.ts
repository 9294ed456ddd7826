import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGuarded } from '../../../src/migrate/child/guarded-child.ts';
import { supervise } from '../../../src/migrate/child/supervise.ts';
import { recordedLog } from '../../support/recorded-log.ts';

const HOUR_MS = 3_600_000;

/** How a command ends that does so by itself, after we were told to end, within the grace period. */
async function afterAbort(script: string) {
  const up = Promise.withResolvers<void>();
  const child = await startGuarded(['sh', '-c', script], {
    env: { PATH: process.env['PATH'] },
    descriptor: 2,
    onLine: () => up.resolve(),
  });
  await up.promise;
  const ending = new AbortController();
  const lost = new AbortController().signal;
  ending.abort();
  const ended = supervise(child, {
    lost,
    signal: ending.signal,
    log: recordedLog().log,
    graceMs: HOUR_MS,
    stopMs: HOUR_MS,
  });
  process.kill(child.pid, 'SIGTERM');
  return await ended;
}

test("a signal that ends a command after ours is the termination's: the migration was interrupted", async () => {
  assert.deepEqual(await afterAbort('echo up; exec sleep 1000'), { state: 'interrupted', code: 143 });
});

test('what a command returns by itself after our signal is its result', async () => {
  const script = (code: number) => `trap 'exit ${code}' TERM; echo up; while :; do sleep 0.01; done`;
  for (const code of [0, 3]) assert.deepEqual(await afterAbort(script(code)), { state: 'ended', code });
});
