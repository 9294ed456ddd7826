import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { run } from '../../tools/process.ts';
import { until } from './until.ts';

const HANGS = fileURLToPath(new URL('fixtures/hangs.ts', import.meta.url));
const STOPPED = fileURLToPath(new URL('fixtures/stopped-machine.ts', import.meta.url));

test('the watchdog prints the open waits of a hung file, kills its programs, and fails it', async () => {
  const { code, stdout, stderr } = await run(process.execPath, [HANGS]);
  assert.equal(code, 1);
  assert.match(stderr, /hangs\.ts did not end in 0\.02 min/);
  assert.match(stderr, /waits for an event that never comes since [\d.]+ s$/m);
  assert.match(
    stderr,
    /waits for the server to answer since \d.* s, looked \d+ times, saw last: \{ status: 503, look: \d+ \}/,
  );
  assert.doesNotMatch(stderr, /waits for the answer/);
  const pid = Number(stdout);
  assert.match(stderr, new RegExp(String.raw`runs sh -c .*sleep 600 \(pid ${pid}\), said last: up$`, 'm'));
  assert.doesNotMatch(stderr, /exit 0/);
  await until('the program to be gone', () => isGone(pid));
});

test('the time in which the machine is stopped does not count', async () => {
  const { code, stderr } = await run(process.execPath, [STOPPED]);
  assert.equal(code, 0, stderr);
});

function isGone(pid: number): true | undefined {
  try {
    process.kill(pid, 0);
    return undefined;
  } catch {
    return true;
  }
}

test('a wait ends with its first result or error', async () => {
  let looks = 0;
  assert.equal(await until('the third look', () => (++looks === 3 ? 'there' : undefined)), 'there');
  await assert.rejects(
    until('an answer', () => Promise.reject(new Error('it has ended'))),
    /it has ended/,
  );
});
