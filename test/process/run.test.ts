import assert from 'node:assert/strict';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test as testOf, type TestContext } from 'node:test';
import { start, type Child, type RunOptions } from '../../src/process/run.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { canBuildCore, coreBinary } from '../cluster/core-binary.ts';
import { until } from '../support/until.ts';

const NEVER = new AbortController().signal;

const missing = await canBuildCore();
const core = await privateDirectory('run-core');
after(async () => await core[Symbol.asyncDispose]());
const binary = missing === undefined ? (await coreBinary(core.path)).binary : undefined;

for (const way of ['alone', 'supervised'] as const) {
  const supervisor = () => (way === 'alone' ? undefined : binary);
  const skip = way === 'supervised' && missing !== undefined ? missing : false;
  const test = (name: string, run: (t: TestContext) => void | Promise<void>): void =>
    void testOf(`${way}: ${name}`, { skip }, run);

  function sh(script: string, options: Partial<RunOptions> = {}): Child {
    return start('/bin/sh', ['-c', script], {
      env: { PATH: process.env['PATH'] },
      signal: NEVER,
      graceMs: 60_000,
      supervisor,
      ...options,
    });
  }

  /** A child that is stopped after its first line, which it prints when it is ready, and its output lines. */
  async function stopped(script: string, graceMs: number) {
    const stop = new AbortController();
    const lines: string[] = [];
    const onLine = (line: string) => {
      lines.push(line);
      stop.abort();
    };
    const ended = await sh(script, { signal: stop.signal, graceMs, onLine }).ended;
    return { ...ended, lines };
  }

  test('the exit code and the end of both outputs are returned, even without a final newline', async () => {
    const lines: string[] = [];
    const { code, by, out, err } = await sh("printf 'a\\nb'; printf 'c' >&2; exit 3", {
      onLine: (line) => lines.push(line),
    }).ended;
    assert.deepEqual({ code, by, out, err }, { code: 3, by: undefined, out: 'a\nb', err: 'c' });
    assert.deepEqual(lines.toSorted(), ['a', 'b', 'c']);
  });

  for (const [name, code] of [
    ['TERM', 143],
    ['KILL', 137],
    ['HUP', 129],
    ['SYS', 159],
  ] as const) {
    test(`a child killed by SIG${name} has ${code}, and the signal's name`, async () => {
      const ended = await sh(`kill -${name} $$`).ended;
      assert.deepEqual([ended.code, ended.by], [code, `SIG${name}`]);
    });
  }

  test('a child that handles SIGTERM exits with its own code', async () => {
    const { code, lines } = await stopped(
      "exec 2>/dev/null; trap 'echo bye; exit 9' TERM; echo up; while :; do sleep 0.01; done",
      60_000,
    );
    assert.deepEqual([code, lines], [9, ['up', 'bye']]);
  });

  test('a child that ignores SIGTERM is killed after the grace period, with its children', async () => {
    const { code, by, lines } = await stopped("trap '' TERM; sleep 300 & echo $!; wait", 20);
    assert.deepEqual([code, by], [137, 'SIGKILL']);
    await gone(Number(lines[0]));
  });

  test('without a grace period a child is killed at once', async () => {
    const { by, lines } = await stopped("trap 'echo heeded' TERM; echo up; while :; do sleep 0.01; done", 0);
    assert.deepEqual([by, lines], ['SIGKILL', ['up']]);
  });

  if (way === 'alone')
    test('a child of another user, which may not be killed, is awaited', async (t) => {
      const stop = new AbortController();
      const kill = t.mock.method(process, 'kill', () => {
        throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
      });
      const child = sh('echo up; exit 3', { signal: stop.signal, graceMs: 0, onLine: () => stop.abort() });
      assert.equal((await child.ended).code, 3);
      assert.ok(kill.mock.callCount() > 0);
    });

  test('nothing is left of a stopped child, even if it exited in time', async () => {
    const { code, lines } = await stopped(
      "(trap '' TERM; exec sleep 300) >/dev/null 2>&1 & trap 'exit 0' TERM; echo $!; while :; do sleep 0.01; done",
      60_000,
    );
    assert.equal(code, 0);
    await gone(Number(lines[0]));
  });

  test('a grandchild that keeps the output open ends with the program', async () => {
    const { code, out } = await sh('sleep 300 & echo $!').ended;
    assert.equal(code, 0);
    await gone(Number(out));
  });

  test('the end of a flood is kept, and every line is passed on', async () => {
    let count = 0;
    const script = 'i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i + 1)); done';
    const { out } = await sh(script, { onLine: () => (count += 1) }).ended;
    assert.equal(count, 20_000);
    assert.ok(out.length <= 4096);
    assert.ok(out.endsWith('line 19998\nline 19999'));
  });

  test('a flood without newlines is split into lines, and its end is kept', async () => {
    const longest = { length: 0 };
    const { err } = await sh("head -c 1000000 /dev/zero | tr '\\0' x >&2", {
      onLine: ({ length }) => (longest.length = Math.max(longest.length, length)),
    }).ended;
    assert.equal(longest.length, 16_384);
    assert.equal(err.replaceAll('\n', '').replaceAll('x', ''), '');
    assert.ok(err.length > 0 && err.length <= 4096);
  });

  test('secrets are hidden in the lines and in the kept end', async () => {
    const lines: string[] = [];
    const redact = (text: string) => text.replaceAll('hidden', '***');
    const { out, err } = await sh('echo a hidden; echo b hidden >&2', { redact, onLine: (line) => lines.push(line) })
      .ended;
    assert.deepEqual([out, err, lines.toSorted()], ['a ***', 'b ***', ['a ***', 'b ***']]);
  });

  test("an open file is the child's descriptor 3", async (t) => {
    const file = join(directory(t), 'file');
    writeFileSync(file, 'its content');
    assert.equal((await sh('cat <&3', { descriptors: [openSync(file, 'r')] }).ended).out, 'its content');
  });

  test('a child has its own process group, and an empty stdin', async () => {
    const { out } = await sh('read -r line || echo $$ && ps -o pgid= -p $$').ended;
    const [pid, group] = out.split('\n').map(Number);
    assert.equal(group, pid);
  });

  test('a missing and a non-executable program are each rejected with their system error', async (t) => {
    const [absent, file] = [join(directory(t), 'absent'), join(directory(t), 'file')];
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o600 });
    const options = { env: {}, signal: NEVER, graceMs: 0, supervisor };
    for (const [program, code] of [
      [absent, 'ENOENT'],
      [file, 'EACCES'],
    ] as const) {
      const child = start(program, [], options);
      await assert.rejects(child.ended, { code });
      assert.equal(child.residentBytes(), undefined);
    }
  });

  test('nothing is started after an abort', (t) => {
    const mark = join(directory(t), 'mark');
    const signal = AbortSignal.abort(new Error('told to end'));
    assert.throws(() => sh(`touch ${mark}`, { signal }), /told to end/);
    assert.throws(() => readFileSync(mark), { code: 'ENOENT' });
  });

  test('a program is killed at once, and its memory is its own', async () => {
    const child = sh('echo up; exec sleep 300', {
      onLine: () => {
        seen = child.residentBytes();
        child.kill();
      },
    });
    let seen: number | undefined;
    assert.equal((await child.ended).by, 'SIGKILL');
    assert.ok(seen !== undefined && seen > 0);
  });

  test('a text without an interpreter is run by a shell', async (t) => {
    const file = join(directory(t), 'file');
    writeFileSync(file, 'echo "$0 $1"\n', { mode: 0o755 });
    const options = { env: {}, signal: NEVER, graceMs: 0, supervisor };
    assert.equal((await start(file, ['word'], options).ended).out, `${file} word`);
  });
}

/** Resolves when the process has exited; a zombie that was not reaped counts as exited. */
async function gone(pid: number): Promise<void> {
  await until(`process ${pid} to be gone`, () => {
    try {
      return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')) || undefined;
    } catch {
      return true;
    }
  });
}

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'run-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}
