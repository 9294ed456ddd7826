import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { privateDirectory } from '../../tools/directory.ts';
import { run, type Finished } from '../../tools/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function inDirectory(t: TestContext): Promise<string> {
  const directory = await privateDirectory('results');
  t.after(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

test('a later run leaves out what an earlier one ran, and its summary has both', async (t) => {
  const results = join(await inDirectory(t), 'results.json');
  const only = async (pattern: string) => {
    const args = ['test/run.ts', 'unit', `--only=${pattern}`, `--results=${results}`];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    return await run(process.execPath, args, { cwd: ROOT, env });
  };
  const summed = ({ stdout }: Finished) => Number(/^ℹ pass (\d+)$/m.exec(stdout)?.[1]);
  const first = await only('test/runner/circles.test.ts');
  assert.equal(first.code, 0, first.stdout + first.stderr);
  const second = await only('test/runner/{circles,pool}.test.ts');
  assert.equal(second.code, 0, second.stdout + second.stderr);
  assert.deepEqual(second.stdout.match(/^✔ unit: \S+/gm), ['✔ unit: test/runner/pool.test.ts']);
  const [passed] = /(?<=pool\.test\.ts \()\d+/.exec(second.stdout) ?? [];
  assert.equal(summed(second), summed(first) + Number(passed));

  // A failure stays one.
  const known = JSON.parse(await readFile(results, 'utf8')) as { ran: { result: { counts: { failed: number } } }[] };
  known.ran[0]!.result.counts.failed = 1;
  await writeFile(results, JSON.stringify(known));
  assert.equal((await only('test/runner/circles.test.ts')).code, 1);
});

/** .ci/run with programs that record their calls. @param codes the exit code of `make TARGET` */
async function ciRun(t: TestContext, codes: Readonly<Record<string, number>>): Promise<Finished & { calls: string[] }> {
  const directory = await inDirectory(t);
  const program = async (path: string, text: string) => {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), `#!/bin/bash\n${text}`, { mode: 0o755 });
  };
  const cases = Object.entries(codes).map(([target, code]) => `${target}) exit ${code} ;;\n`);
  await program('bin/make', `echo "make $*" >> calls\necho "ℹ pass of $1"\ncase $1 in ${cases.join('')} esac\n`);
  await program('node_modules/.bin/node', 'echo "node $*" >> calls\n');
  await mkdir(join(directory, '.ci'));
  await copyFile(join(ROOT, '.ci/run'), join(directory, '.ci/run'));
  const env = { ...process.env, PATH: `${join(directory, 'bin')}:${process.env['PATH']}`, TMPDIR: directory };
  const finished = await run('bash', [join(directory, '.ci/run')], { env });
  const calls = (await readFile(join(directory, 'calls'), 'utf8')).replaceAll(/\/\S*\/results\.json/g, 'FILE');
  return { ...finished, calls: calls.trim().split('\n') };
}

test("CI runs README's make test, then the rest within its time, then make cloud, and ends with the summary", async (t) => {
  const { code, calls, stdout } = await ciRun(t, {});
  assert.equal(code, 0);
  const [first, second, ...others] = calls;
  assert.equal(first, 'make test RESULTS=FILE');
  assert.match(second ?? '', /^make ci MINUTES=7[45] RESULTS=FILE$/);
  assert.deepEqual(others, ['node test/cloud/index.ts']);
  assert.equal(stdout.trim().split('\n').at(-1), 'ℹ pass of ci');
});

test('a failure of make test is one of CI, which runs the rest and no make cloud', async (t) => {
  const { code, calls } = await ciRun(t, { test: 2 });
  assert.equal(code, 2);
  assert.deepEqual(
    calls.map((call) => call.split(' ')[1]),
    ['test', 'ci'],
  );
  assert.equal((await ciRun(t, { ci: 1 })).code, 1);
});
