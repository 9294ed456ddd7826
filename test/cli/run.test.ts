import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { privateDirectory } from '../../tools/directory.ts';
import { logLines } from '../support/helper.ts';
import { must, run, start } from '../../tools/process.ts';

const PROGRAM = fileURLToPath(new URL('./fixtures/program.ts', import.meta.url));
/** Passes Node's compile cache on, so that types are not stripped again from every module at each start. */
const COMPILED = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'NODE_COMPILE_CACHE'));

/** Runs the fixture, a helper with a command for every way to exit. */
function program(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return run(process.execPath, [PROGRAM, ...args], { env: { ...COMPILED, ...env } });
}

/** Starts the fixture, and resolves when it reports that it works. */
async function working(...args: string[]) {
  const running = await start(process.execPath, [PROGRAM, ...args], { env: COMPILED, keepOutput: true });
  await once(running.child.stdout!, 'data');
  return running;
}

test('a command returns its exit code and its result', async () => {
  const { code, stdout, stderr } = await program(['say', 'hello']);
  assert.deepEqual([code, stdout, stderr], [0, 'hello\n', '']);
});

for (const [what, code] of [
  ['usage', 64],
  ['config', 65],
  ['unavailable', 69],
  ['deadline', 75],
  ['permission', 77],
] as const) {
  test(`an error of the class ${what} exits with code ${code} and one line without a stack`, async () => {
    const said = await program(['fail', what]);
    assert.equal(said.code, code);
    assert.deepEqual(
      logLines(said.stderr).map(({ level, msg, stack }) => [level, msg, stack]),
      [['error', `${what} went wrong`, undefined]],
    );
  });
}

for (const how of ['throw', 'later', 'reject']) {
  test(`an unexpected error (${how}) exits with code 70 and its stack trace, never with a probe's 1`, async () => {
    const { code, stderr } = await program(['bug', how]);
    assert.equal(code, 70);
    const [line] = logLines(stderr);
    assert.match(line?.msg ?? '', /^our bug, please report it: oops/);
    assert.match(String(line?.['stack']), /program\.ts/);
  });
}

test("an unknown command names the nearest, also for names of Object's properties", async () => {
  assert.match((await program(['sya'])).stderr, /unknown command 'sya'; did you mean 'say'\?/);
  for (const word of ['constructor', '__proto__', 'toString']) {
    const { code, stderr } = await program([word]);
    assert.equal(code, 64, word);
    assert.match(stderr, /unknown command/);
  }
});

test('prints its short help on stderr and fails without a command', async () => {
  const { code, stdout, stderr } = await program([]);
  assert.deepEqual([code, stdout], [64, '']);
  assert.match(stderr, /^kolla-test COMMAND\n[^]*^ {2}say +Ends in its way\.$[^]*^ {2}fail /m);
  assert.match(stderr, /"no command given; try kolla-test help"/);
});

test('help lists the commands, and help COMMAND shows its options', async () => {
  const list = await program(['help']);
  assert.deepEqual([list.code, list.stderr], [0, '']);
  assert.match(list.stdout, /^kolla-test COMMAND/);
  assert.match((await program(['help', 'say'])).stdout, /^kolla-test say WORD/);
  const unknown = await program(['help', 'sya']);
  assert.equal(unknown.code, 64);
  assert.match(unknown.stderr, /unknown command 'sya'; did you mean 'say'\?/);
});

test('--help and -h work with the command anywhere, --version takes precedence', async () => {
  for (const argv of [
    ['say', '--help'],
    ['--help', 'say'],
    ['say', 'x', '-h', '--bogus'],
  ]) {
    const { code, stdout } = await program(argv);
    assert.equal(code, 0);
    assert.match(stdout, /^kolla-test say WORD/);
  }
  assert.match((await program(['-h'])).stdout, /^kolla-test COMMAND/);
  assert.match((await program(['say', '--version'])).stdout, /^kolla-test \d+\.\d+\.\d+ \(kolla-pod\)\n$/);
});

test('passes --help after -- to the child', async () => {
  const { code, stdout } = await program(['say', 'x', '--', '--help']);
  assert.deepEqual([code, stdout], [0, 'x --help\n']);
});

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  test(`${signal} ends a wait with ${code}`, async () => {
    await using running = await working('wait');
    process.kill(running.pid, signal);
    assert.equal(await running.ended, code);
  });
}

test('a second signal ends a program that ignores the first', async () => {
  await using running = await working('ignore');
  process.kill(running.pid, 'SIGTERM');
  const [text] = (await once(running.child.stdout!, 'data')) as [Buffer];
  assert.equal(text.toString(), 'heard\n');
  process.kill(running.pid, 'SIGTERM');
  assert.equal(await running.ended, 143);
});

test('the last error is written to the termination log, if it exists', async () => {
  await using directory = await privateDirectory('last');
  const file = join(directory.path, 'termination-log');
  await program(['fail', 'deadline', '--termination-log', file]);
  await assert.rejects(readFile(file), { code: 'ENOENT' });
  await writeFile(file, 'before');
  await program(['fail', 'deadline', '--termination-log', file]);
  assert.equal(await readFile(file, 'utf8'), 'kolla-test: deadline went wrong\n');
});

test("a failed program's own last line ends the termination message, and stays when that is truncated", async () => {
  await using directory = await privateDirectory('last');
  const file = join(directory.path, 'termination-log');
  await writeFile(file, '');
  await program(['fail', 'child', '--termination-log', file]);
  assert.equal(await readFile(file, 'utf8'), 'kolla-test: child went wrong; its last line: no such table\n');
  await program(['fail-at-length', '--termination-log', file]);
  const left = await readFile(file);
  assert.ok(left.length > 4000 && left.length <= 4096, String(left.length));
  assert.match(left.toString(), /^\.\.\.ü+; its last line: no such table\n$/);
});

test("the termination message is truncated to the kubelet's limit", async () => {
  await using directory = await privateDirectory('last');
  const file = join(directory.path, 'termination-log');
  await writeFile(file, '');
  await program(['say', `--${'ü'.repeat(4000)}`], { KOLLA_POD_TERMINATION_LOG: file });
  const left = await readFile(file);
  assert.ok(left.length > 4000 && left.length <= 4096, String(left.length));
  assert.match(left.toString(), /^kolla-test: unknown option --ü+\.\.\.\n$/);
});

test('a usage error is written to the termination log named by KOLLA_POD_TERMINATION_LOG', async () => {
  await using directory = await privateDirectory('last');
  const file = join(directory.path, 'termination-log');
  await writeFile(file, '');
  await program(['say', 'x', '--bogus'], { KOLLA_POD_TERMINATION_LOG: file });
  assert.match(await readFile(file, 'utf8'), /^kolla-test: unknown option --bogus/);
});

test('options come from the file named by the environment; an empty variable counts as unset', async () => {
  await using directory = await privateDirectory('config');
  const file = join(directory.path, 'kolla-pod.yaml');
  await writeFile(file, 'log-level: error\nprobe: {}\n');
  assert.equal((await program(['log'], { KOLLA_POD_CONFIG: file })).stderr.split('\n').length, 2);
  assert.equal((await program(['log'], { KOLLA_POD_CONFIG: '' })).stderr.split('\n').length, 4);
});

test('the log is JSON without a terminal, and readable on request', async () => {
  assert.match((await program(['log'])).stderr, /^\{"time"/);
  assert.match((await program(['log', '--log-format', 'text'])).stderr, /^\d\d:\d\d:\d\d\.\d{3} info /);
});

test('exits silently if the reader of its output exits early, also during a wait', async () => {
  const node = `'${process.execPath}' '${PROGRAM}'`;
  for (const command of ['flood', 'drip']) {
    const script = `{ ${node} ${command}; echo $? >&2; } | head -1`;
    const { stdout, stderr } = await run('bash', ['--norc', '-c', script], { env: { PATH: process.env['PATH'] } });
    assert.match(stdout, /^y+\n$/);
    assert.equal(stderr, '141\n', command);
  }
});

test('a full disk behind stdout is reported as ENOSPC, without a stack', async () => {
  const script = `'${process.execPath}' '${PROGRAM}' say x >/dev/full`;
  const { code, stderr } = await run('bash', ['--norc', '-c', script], { env: {} });
  assert.equal(code, 69);
  assert.match(logLines(stderr)[0]?.msg ?? '', /^cannot write to stdout: ENOSPC/);
});

test('a closed or full stderr changes nothing', async () => {
  for (const stderr of ['2>&-', '2>/dev/full']) {
    const script = `'${process.execPath}' '${PROGRAM}' fail deadline ${stderr}; echo $?`;
    assert.equal(await must('bash', ['--norc', '-c', script], { env: {} }), '75\n', stderr);
  }
});
