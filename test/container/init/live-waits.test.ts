import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Capability } from '../../../tools/capability.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { HELPERS } from '../../support/helper.ts';
import { run } from '../../../tools/process.ts';

/** `script` runs a program on a terminal. */
const canHaveTerminal: Capability = async () => {
  const tried = await run('script', ['-qec', 'test -t 2', '/dev/null']).catch(() => undefined);
  return tried?.code === 0 ? undefined : 'no script(1) here that provides a terminal';
};

const skip = (await canHaveTerminal()) ?? false;

/** Runs kolla-init on a terminal of 12 rows and 70 columns, and returns the output. */
async function onTerminal(args: readonly string[], directory: string, env: NodeJS.ProcessEnv = {}) {
  const words = [process.execPath, HELPERS, 'kolla-init', '--config-dir', '/no/config', '--allow-no-config', ...args];
  const command = `stty rows 12 cols 70; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const file = join(directory, 'typescript');
  const { code, stdout } = await run('script', ['-qec', command, file], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
  });
  return { code, stdout };
}

test('on a terminal the waits are a table that stays at the end', { skip }, async () => {
  await using directory = await privateDirectory('tty');
  const { code, stdout } = await onTerminal(['--wait', `file:${directory.path}`, '--wait', `file:/`], directory.path);
  assert.equal(code, 0, stdout);
  // eslint-disable-next-line no-control-regex
  const rows = stdout.replaceAll(/\u001B\[[?\d;]*[A-Za-z]/g, '').split(/\r+\n?/);
  assert.ok(
    rows.some((row) => /^ready +file:\/ +0s {2}exists, a directory$/.test(row)),
    stdout,
  );
  assert.match(rows.findLast((row) => row !== '') ?? '', /2 dependencies ready$/);
});

test('the deadline leaves the terminal usable: no hidden cursor, the reason below the table', { skip }, async () => {
  await using directory = await privateDirectory('tty');
  const { code, stdout } = await onTerminal(['--wait', 'file:/no/such', '--timeout', '300ms'], directory.path);
  assert.equal(code, 75, stdout);
  assert.ok(!stdout.includes('\u001B[?25l'));
  assert.ok(stdout.lastIndexOf('not ready after 300ms') > stdout.lastIndexOf('waiting  file:/no/such'));
});

for (const [name, args, env] of [
  ['JSON is requested', ['--log-format', 'json'], {}],
  ['the terminal is dumb', [], { TERM: 'dumb' }],
] as const) {
  test(`prints plain lines if ${name}`, { skip }, async () => {
    await using directory = await privateDirectory('tty');
    const { code, stdout } = await onTerminal([...args, '--wait', 'file:/'], directory.path, env);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /file:\/: ready after/);
    assert.ok(!stdout.includes('\u001B[?2026h'));
  });
}
