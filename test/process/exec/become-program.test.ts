import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { run } from '../../../tools/process.ts';

const BECOME = fileURLToPath(new URL('fixtures/become.ts', import.meta.url));

/** Bits in SigIgn, in which signal 1 is the lowest. */
const PIPE_AND_XFSZ = (1n << 12n) | (1n << 24n);

/** Prints the state that a program inherits. */
const TELL = `grep -E '^(Sig(Blk|Ign|Cgt)|NoNewPrivs|Groups)' /proc/self/status
  grep -v 'open files' /proc/self/limits
  for fd in 0 1 2; do grep flags /proc/$$/fdinfo/$fd; done
  umask; pwd; readlink /proc/$$/fd/*; env | sort; printf '[%s]' "$0" "$@"`;

async function tell(through: readonly string[]): Promise<string> {
  const words = [...through, '/bin/bash', '--norc', '-c', TELL, 'name', 'two words', ''];
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', LANG: 'C' };
  const shell = 'umask 027; "$@" | cat; exit ${PIPESTATUS[0]}';
  const { stdout, code, stderr } = await run('/bin/bash', ['--norc', '-c', shell, 'sh', ...words], {
    env,
    cwd: '/tmp',
  });
  assert.equal(code, 0, stderr);
  return stdout.replaceAll(/(pipe|socket):\[\d+\]/g, '$1').replace(/^said before\n/, '');
}

test("the executed program has the caller's signals, limits, descriptors and environment", async () => {
  assert.equal(await tell([process.execPath, BECOME]), await tell([]));
});

test('exactly the changes made by Node are undone', async () => {
  const plain = `process.stdout.write('said before\\n'); const [, file, ...rest] = process.argv;
    process.execve(file, [file, ...rest], process.env);`;
  const [bare, direct] = await Promise.all([tell([process.execPath, '-e', plain]), tell([])]);
  const differing = bare.split('\n').filter((line, at) => line !== direct.split('\n')[at]);
  const ignored = (said: string) => BigInt(`0x${/^SigIgn:\s*(\w+)$/m.exec(said)?.[1]}`);
  assert.equal(ignored(bare) & ~ignored(direct), PIPE_AND_XFSZ, bare);
  assert.ok(
    differing.some((line) => /^flags:\s*0?04001$/.test(line)),
    bare,
  );
});

test('earlier output is flushed, and the exit code is the program’s own', async () => {
  const { code, stdout } = await run(process.execPath, [BECOME, '/bin/sh', '-c', 'echo said after; exit 7']);
  assert.equal(stdout, 'said before\nsaid after\n');
  assert.equal(code, 7);
});

for (const [name, code] of [
  ['no-such-program', 127],
  ['/etc', 126],
  ['/etc/passwd', 126],
] as const) {
  test(`${name} exits with code ${code} and one line, as in a shell`, async () => {
    const finished = await run(process.execPath, [BECOME, name]);
    assert.equal(finished.code, code);
    assert.match(finished.stderr, /^[^\n]+\n$/);
  });
}
