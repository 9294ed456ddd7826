import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { start } from '../../tools/process.ts';
import { stopGroup } from './stop-group.ts';

test('stopGroup() resolves once a process and its children have exited', async () => {
  // Both processes are busy, and would run a moment longer after the signal.
  const spin = 'while :; do :; done';
  await using running = await start('bash', ['-c', `(${spin}) & echo $!; ${spin}`], {
    keepOutput: true,
    throwAway: true,
  });
  const [said] = (await running.child.stdout!.take(1).toArray()) as [Buffer];
  await stopGroup(running.pid);
  const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
  assert.deepEqual([running.pid, Number(String(said))].map(stateOf), ['T', 'T']);
});
