/**
 * Nothing that a program has started stays after it: real timeout(1), setsid(1), nohup(1), daemons and chains of forks,
 * under kolla-core on both engines.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { start } from '../../src/process/run.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { marking } from '../support/marked.ts';
import { until } from '../support/until.ts';

const missing = await canBuildCore();
const skip = missing ?? false;
const directory = await privateDirectory('descendants');
after(async () => await directory[Symbol.asyncDispose]());
const core = missing === undefined ? await coreBinary(directory.path) : undefined;

/** Each process starts the next one and exits, so that a list of processes is old before it is read. */
const HOPS = join(directory.path, 'hops');
writeFileSync(HOPS, '#!/bin/sh\n"$@" "$0" "$@" &\n', { mode: 0o755 });
/** Ends as a sleep, after 50 parents that have exited. */
const CHAIN = join(directory.path, 'chain');
writeFileSync(CHAIN, '#!/bin/sh\n[ "$1" = 0 ] && exec sleep 300\n"$0" $(($1 - 1)) &\n', { mode: 0o755 });

/** What a program may start, and then wait for or leave. */
const LEAVING = {
  'timeout(1)': 'timeout 300 sleep 300',
  'setsid(1)': 'setsid --fork --wait sleep 300',
  'nohup(1)': 'nohup sleep 300 >/dev/null 2>&1',
  'a double fork': '(setsid sh -c "trap : TERM HUP; sleep 300 & wait; wait" &)',
  'a chain of 50 forks': `${CHAIN} 50`,
  'an endless chain': HOPS,
  'an endless chain of sessions': `${HOPS} setsid`,
} as const;

for (const [what, script] of Object.entries(LEAVING)) {
  test(`${what}: ends with the deadline in kolla-core`, { skip }, async (t) => {
    const { env, commands } = marking(t);
    const words = ['command', '--timeout', '300ms', '--', 'sh', '-c', `${script}; sleep 300`];
    const probe = spawn(join(core!.names, 'kolla-probe'), words, { env, stdio: 'ignore' });
    const [code] = (await once(probe, 'exit')) as [number];
    assert.deepEqual([code, commands()], [1, []]);
  });

  test(`${what}: ends with the deadline in Node`, { skip }, async (t) => {
    const { env, commands } = marking(t);
    const stop = new AbortController();
    const options = { env, signal: stop.signal, graceMs: 0, supervisor: () => core!.binary };
    const { ended } = start('sh', ['-c', `${script}; sleep 300`], options);
    await until('the program to have started another', () => commands().length >= 2 || undefined);
    stop.abort();
    assert.deepEqual([(await ended).by, commands()], ['SIGKILL', []]);
  });
}

test("what a program leaves behind ends with it, and the exit code is the program's", { skip }, async (t) => {
  const { env, commands } = marking(t);
  const signal = new AbortController().signal;
  const script = `${Object.values(LEAVING)
    .map((one) => `(${one}) &`)
    .join('\n')}\nexit 7`;
  const options = { env, signal, graceMs: 60_000, supervisor: () => core!.binary };
  const ended = await start('sh', ['-c', script], options).ended;
  assert.deepEqual([ended.code, commands()], [7, []]);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`${signal} to the helper ends what its command has started`, { skip }, async (t) => {
    const { env, commands } = marking(t);
    const words = [
      'command',
      '--timeout',
      '5m',
      '--',
      'sh',
      '-c',
      `${LEAVING['a double fork']}; ${CHAIN} 50; sleep 300`,
    ];
    const probe = spawn(join(core!.names, 'kolla-probe'), words, { env, stdio: 'ignore' });
    const exited = once(probe, 'exit');
    const sleeps = () => commands().filter((one) => one.startsWith('sleep')).length >= 3;
    await until('the command to have started all', () => sleeps() || undefined);
    probe.kill(signal);
    await exited;
    await until('its descendants to end', () => commands().length === 0 || undefined);
  });

test('SIGKILL to the supervisor ends the program', { skip }, async (t) => {
  const { env, commands } = marking(t);
  let supervisor = 0;
  const onLine = (line: string) => process.kill((supervisor = Number(line)), 'SIGKILL');
  const options = { env, signal: new AbortController().signal, graceMs: 0, onLine, supervisor: () => core!.binary };
  const ended = await start('sh', ['-c', 'echo $PPID; exec sleep 300'], options).ended;
  assert.ok(supervisor > 1);
  assert.equal(ended.by, 'SIGKILL');
  await until('the program to end', () => commands().length === 0 || undefined);
});

test('the supervisor has neither the arguments nor the environment of its program', { skip }, async (t) => {
  const { env } = marking(t);
  const script = 'tr "\\\\0" " " < /proc/$PPID/cmdline; cat /proc/$PPID/environ /proc/$PPID/comm';
  const options = { env, signal: new AbortController().signal, graceMs: 0, supervisor: () => core!.binary };
  const ended = await start('sh', ['-c', script], options).ended;
  assert.equal(ended.out, 'kolla-run kolla-core');
});
