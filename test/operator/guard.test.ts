import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { HelmGuard } from '../../src/operator/helm/guard.ts';
import { residentBytes } from '../../src/process/resident.ts';
import { privateDirectory } from '../../tools/directory.ts';

/** A process that sleeps. */
async function sleeper() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid!;
  const limited = { kill: () => void child.kill('SIGKILL'), residentBytes: () => residentBytes(pid) };
  return { child, limited };
}

test('the deadline is the timeout of a hook and the time of Helm itself, again for each hook', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  using guard = new HelmGuard({ ownMs: 2000, memoryBytes: 2 ** 28 }, 8000);
  t.mock.timers.tick(9999);
  guard.extend();
  t.mock.timers.tick(9999);
  assert.equal(guard.signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal(guard.signal.aborted, true);
  assert.match(guard.problem ?? '', /^helm was killed: not finished after 10s \(--helm-deadline\)/);
});

test('a timeout longer than a timer is the longest deadline', () => {
  using guard = new HelmGuard({ ownMs: 30_000, memoryBytes: 2 ** 28 }, 365 * 24 * 3_600_000);
  assert.equal(guard.limitMs, 2 ** 31 - 1);
});

test('a process with too much memory is killed at once', async () => {
  const { child, limited } = await sleeper();
  using guard = new HelmGuard({ ownMs: 30_000, memoryBytes: 1 }, 30_000);
  guard.watch(limited, undefined);
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  assert.match(guard.problem ?? '', /^helm was killed: it used \d+ MiB of memory, more than 0 MiB/);
});

test('a process with too much output is killed at once', async () => {
  await using directory = await privateDirectory('guard');
  await using file = await open(join(directory.path, 'output'), 'wx');
  const { child, limited } = await sleeper();
  using guard = new HelmGuard({ ownMs: 30_000, memoryBytes: 2 ** 28 }, 30_000);
  guard.watch(limited, file.fd);
  await file.truncate(8 * 2 ** 20 + 1);
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  assert.equal(guard.problem, 'helm was killed: its output is larger than 8 MiB');
});
