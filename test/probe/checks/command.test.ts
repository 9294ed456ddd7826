import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../../tools/directory.ts';
import { logLines, runHelper, startHelper } from '../../support/helper.ts';
import { until } from '../../support/until.ts';

async function probe(...words: string[]): Promise<{ code: number; msg: string }> {
  const { code, stderr } = await runHelper('kolla-probe', ['command', ...words]);
  return { code, msg: logLines(stderr)[0]?.msg ?? stderr };
}

/** Whether the process has exited; a zombie has. */
async function isGone(pid: number): Promise<true | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat === '' || /\) [ZX] /.test(stat) ? true : undefined;
}

test('a program that exits with code 0 is healthy, silently', async () => {
  assert.deepEqual(await probe('--', 'bash', '-c', 'echo fine; exit 0'), { code: 0, msg: '' });
});

test("a secret in the program's last line is hidden", async () => {
  const line = `echo "password=hunter2 of $DB_PASSWORD at https://me:hunter2@host" >&2; exit 3`;
  const env = { DB_PASSWORD: 'correct-horse' };
  const { code, stderr } = await runHelper('kolla-probe', ['command', '--', 'bash', '-c', line], { env });
  assert.equal(code, 1);
  assert.match(stderr, /bash exited with code 3: password=\*\*\* of \*\*\* at https:\/\/\*\*\*@host/);
});

test('a failing command is unhealthy with its code and its last line', async () => {
  const { code, msg } = await probe('--', 'bash', '-c', 'echo first >&2; echo "no route" >&2; echo out; exit 7');
  assert.equal(code, 1);
  assert.equal(msg, 'command bash: bash exited with code 7: no route');
  assert.equal(
    (await probe('--', 'bash', '-c', 'echo only out; exit 1')).msg,
    'command bash: bash exited with code 1: only out',
  );
  assert.equal((await probe('--', 'bash', '-c', 'kill -9 $$')).msg, 'command bash: bash was killed by SIGKILL');
});

test('a last line can neither control a terminal nor imitate a line of ours', async () => {
  const { msg } = await probe('--', 'bash', '-c', String.raw`printf 'bad\033[2J\rworse\n'; exit 1`);
  assert.equal(msg, 'command bash: bash exited with code 1: bad [2J worse');
});

test('a missing program is unhealthy, and is named', async () => {
  const { code, msg } = await probe('--', '/nowhere/at-all');
  assert.equal(code, 1);
  assert.match(msg, /^command at-all: \/nowhere\/at-all cannot be run: no such program/);
});

test('no arguments after -- is an error', async () => {
  const { code, msg } = await probe();
  assert.equal(code, 64);
  assert.match(msg, /give it after --/);
});

test('at the deadline the program and its children are killed', async () => {
  await using directory = await privateDirectory('command');
  const file = join(directory.path, 'pids');
  const script = `sleep 1000 & echo "$$ $!" > '${file}'; trap '' TERM; wait`;
  // Long enough for the program to write its file, even on a busy machine.
  const { code, msg } = await probe('--timeout', '10s', '--', 'bash', '-c', script);
  assert.equal(code, 1);
  assert.equal(msg, 'command bash: no response in 10s');
  const pids = (await readFile(file, 'utf8')).trim().split(' ').map(Number);
  assert.equal(pids.length, 2);
  for (const pid of pids) await until(`${pid} to exit`, () => isGone(pid));
});

test('processes left behind by a program are killed with it, and block nothing', async () => {
  await using directory = await privateDirectory('command');
  const file = join(directory.path, 'pid');
  assert.deepEqual(await probe('--timeout', '60s', '--', 'bash', '-c', `sleep 1000 & echo $! > '${file}'`), {
    code: 0,
    msg: '',
  });
  const pid = Number(await readFile(file, 'utf8'));
  await until(`${pid} to exit`, () => isGone(pid));
});

test('SIGTERM also ends the program', async () => {
  await using directory = await privateDirectory('command');
  const file = join(directory.path, 'pid');
  await writeFile(file, '');
  const script = `echo $$ > '${file}'; sleep 1000; exit 1`;
  await using probing = await startHelper('kolla-probe', ['command', '--timeout', '60s', '--', 'bash', '-c', script]);
  const pid = await until('the program to run', async () => Number(await readFile(file, 'utf8')) || undefined);
  assert.equal(await probing.stop(), 143);
  await until(`${pid} to exit`, () => isGone(pid));
});
