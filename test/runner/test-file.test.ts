import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { listenTcp } from '../support/server.ts';
import { hasFailed, type Result } from './result.ts';
import { runTestFile } from './test-file.ts';

// Node sets this in a test file's process and does not run further files where it is set.
before(() => void delete process.env['NODE_TEST_CONTEXT']);
const never = new AbortController().signal;

async function runText(text: string): Promise<Result> {
  await using directory = await privateDirectory('runner');
  const file = join(directory.path, 'sample.test.mjs');
  await writeFile(file, text);
  return await runTestFile(file, process.env, directory.path, never);
}

const SAMPLE = `
import { describe, test } from 'node:test';
test('on its own', () => {});
describe('outer', () => {
  describe('inner', () => { test('deep', () => {}); });
  test('broken', () => { throw new Error('it says why'); });
  test('not here', { skip: 'needs root' }, () => {});
});
describe('whole', { skip: 'no server' }, () => { test('never', () => {}); });
`;

test('each test has one outcome under its full name, and so does a skipped describe()', async () => {
  const result = await runText(SAMPLE);
  assert.deepEqual(
    result.outcomes.map(({ name, result: of, reason }) => [name, of, ...(reason === undefined ? [] : [reason])]),
    [
      ['on its own', 'passed'],
      ['outer > inner > deep', 'passed'],
      ['outer > broken', 'failed', 'it says why'],
      ['outer > not here', 'skipped', 'needs root'],
      ['whole', 'skipped', 'no server'],
    ],
  );
  const { tests, passed, failed, skipped } = result.counts;
  assert.deepEqual({ tests, passed, failed, skipped }, { tests: 5, passed: 2, failed: 1, skipped: 2 });
  assert.ok(hasFailed(result));
  assert.match(result.text, /it says why/);
});

test('reports the CPU time of the file and its children', async () => {
  const { cpuSeconds } = await runText(`
    import { execFileSync } from 'node:child_process';
    import { test } from 'node:test';
    test('works', () => { execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 2e5);']); });
  `);
  assert.ok(cpuSeconds !== undefined && cpuSeconds >= 0.2, `${cpuSeconds}`);
});

test('a file that throws or exits before its tests have run fails', async () => {
  for (const text of ["throw new Error('at import')", 'process.exit(3)', 'await new Promise(() => {})'])
    assert.ok(hasFailed(await runText(text)), text);
});

test('a file with only a failing hook fails', async () => {
  const hook = "after(() => { throw new Error('left over'); })";
  const text = `import { after, describe, test } from 'node:test';\ndescribe('x', () => { ${hook}; test('fine', () => {}); });`;
  const result = await runText(text);
  assert.ok(hasFailed(result));
  assert.equal(result.counts.failed, 1);
});

test('an interrupted file does not count as failed', async () => {
  await using directory = await privateDirectory('runner');
  const file = join(directory.path, 'sample.test.mjs');
  const started = Promise.withResolvers<void>();
  await using server = await listenTcp(() => started.resolve());
  await writeFile(
    file,
    `import { connect } from 'node:net';
     import { test } from 'node:test';
     test('hangs', async () => { connect(${server.port}, '127.0.0.1'); await new Promise(() => {}); });`,
  );
  const over = new AbortController();
  const running = runTestFile(file, process.env, directory.path, over.signal);
  await started.promise;
  over.abort();
  const result = await running;
  assert.ok(result.isCut);
  assert.ok(!hasFailed(result));
});
