import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bashCompletion } from '../../src/toolbox/completion/bash.ts';
import { fishCompletion } from '../../src/toolbox/completion/fish.ts';
import { zshCompletion } from '../../src/toolbox/completion/zsh.ts';
import { all } from '../../src/toolbox/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';

/** Bash's completions for these words, of which the last is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  await using directory = await privateDirectory('bash');
  const script = join(directory.path, 'completion');
  await writeFile(script, bashCompletion(all()));
  await writeFile(join(directory.path, 'some-file'), '');
  const ask = `
    source ${script}
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _kolla_pod
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = await must('bash', ['--norc', '-c', ask, 'bash', ...words], { cwd: directory.path });
  return said.split('\n').filter((word) => word !== '');
}

test('bash offers the helpers and commands after kolla-pod', async () => {
  const words = await offered('kolla-pod', '');
  for (const word of ['probe', 'init', 'completion', 'doctor', '--help']) assert.ok(words.includes(word), word);
});

test('bash offers only completions of the typed prefix', async () => {
  assert.deepEqual(await offered('kolla-probe', 'h'), ['http']);
});

test("bash offers a command's own options", async () => {
  const words = await offered('kolla-probe', 'http', 'http://x', '--');
  assert.ok(words.includes('--status') && words.includes('--log-level'));
  assert.ok(!(await offered('kolla-probe', 'tcp', 'x:1', '--')).includes('--status'));
});

test('bash knows a helper by its short name after kolla-pod, and by its path', async () => {
  assert.deepEqual(await offered('kolla-pod', 'probe', 'h'), ['http']);
  assert.deepEqual(await offered('/usr/bin/kolla-probe', 'h'), ['http']);
});

test('bash offers the values of a choice, written with a space or with =', async () => {
  assert.deepEqual(await offered('kolla-probe', 'tcp', '--log-format', 'j'), ['json']);
  assert.deepEqual(await offered('kolla-probe', 'tcp', '--log-format', '=', 'j'), ['json']);
  assert.deepEqual(await offered('kolla-probe', 'tcp', '--log-format', '='), ['auto', 'json', 'text']);
});

test('bash offers files for a path, and for the command line after --', async () => {
  assert.deepEqual(await offered('kolla-probe', 'http', '--ca-file', 'some'), ['some-file']);
  assert.deepEqual(await offered('kolla-db-sync', 'keystone', '--', 'some-f'), ['some-file']);
});

test('bash offers the values of an operand', async () => {
  assert.equal(
    (await offered('kolla-pod', 'completion', '')).join(' '),
    'bash zsh fish tcsh --config --log-level --log-format --termination-log --help --version',
  );
});

test('no shell offers a secret as a flag', () => {
  for (const script of [bashCompletion(all()), zshCompletion(all()), fishCompletion(all())]) {
    assert.match(script, /admin-password-file/);
    assert.doesNotMatch(script, /admin-password(?!-file)/);
  }
});
