import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import type { Outcome } from './outcomes.ts';

const HELPER = `
import { test } from 'node:test';
export const shared = () => void test('from a module', () => {});
`;

const TESTS = `
import { after, describe, test } from 'node:test';
import { shared } from './helper.mjs';
describe('group', () => {
  shared();
  test('with parts', async (t) => {
    await t.test('part', () => {});
  });
  describe('inner', () => void test('broken', async () => {
    await using left = { [Symbol.asyncDispose]: async () => { throw new Error('asking', { cause: new Error('refused') }); } };
    throw new Error('no');
  }));
});
describe('not here', { skip: 'no root' }, () => void test('never seen', () => {}));
test('skipped in itself', (t) => t.skip('no groff'));
test('to do', { todo: true }, () => { throw new Error('not yet'); });
describe('torn down badly', () => {
  after(() => { throw new Error('left over'); });
  test('fine', () => {});
});
`;

const PROGRAM = `
import { run } from 'node:test';
import { Outcomes } from ${JSON.stringify(new URL('outcomes.ts', import.meta.url).href)};
const outcomes = new Outcomes();
for await (const event of run({ files: process.argv.slice(2), concurrency: 2 })) outcomes.see(event);
console.log(JSON.stringify(outcomes.all));
`;

/**
 * The outcomes of a real run of these files. It is a separate process, because node:test does not run files from within
 * a test.
 */
async function outcomesOf(files: Readonly<Record<string, string>>): Promise<Outcome[]> {
  await using directory = await privateDirectory('outcome');
  for (const [name, text] of Object.entries({ ...files, 'run.mjs': PROGRAM }))
    await writeFile(join(directory.path, name), text);
  const tests = Object.keys(files).filter((name) => name.endsWith('.test.mjs'));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const printed = await must(process.execPath, ['run.mjs', ...tests], { cwd: directory.path, env });
  const outcomes = JSON.parse(printed) as Outcome[];
  return outcomes.map((one) => ({ ...one, name: one.name.replace(`${directory.path}/`, '') }));
}

test('each test has its full name, its file and its outcome', async () => {
  const file = 'a.test.mjs';
  assert.deepEqual(await outcomesOf({ [file]: TESTS, 'helper.mjs': HELPER }), [
    { file, name: 'group > from a module', result: 'passed' },
    { file, name: 'group > with parts > part', result: 'passed' },
    { file, name: 'group > with parts', result: 'passed' },
    { file, name: 'group > inner > broken', result: 'failed', reason: 'no\nby: asking\nby: refused' },
    { file, name: 'not here', isSuite: true, result: 'skipped', reason: 'no root' },
    { file, name: 'skipped in itself', result: 'skipped', reason: 'no groff' },
    { file, name: 'to do', result: 'skipped', reason: 'todo' },
    { file, name: 'torn down badly > fine', result: 'passed' },
    { file, name: 'torn down badly', isSuite: true, result: 'failed', reason: 'left over' },
  ]);
});

test('concurrent files do not mix their names, and a crash is an outcome', async () => {
  const slow = `
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
describe('slow', () => { for (const name of ['one', 'two']) test(name, () => setTimeout(50)); });
`;
  const outcomes = await outcomesOf({
    'slow.test.mjs': slow,
    'other.test.mjs': slow.replace("'slow'", "'other'"),
    'broken.test.mjs': 'throw new Error("no")',
  });
  const lines = outcomes.map(({ file, name, result }) => `${file}: ${name} ${result}`);
  assert.deepEqual(
    new Set(lines),
    new Set([
      'broken.test.mjs: broken.test.mjs failed',
      'other.test.mjs: other > one passed',
      'other.test.mjs: other > two passed',
      'slow.test.mjs: slow > one passed',
      'slow.test.mjs: slow > two passed',
    ]),
  );
  assert.equal(lines.length, 5);
  const { reason = '' } = outcomes.find(({ file }) => file === 'broken.test.mjs') ?? {};
  assert.match(reason, /^test failed\nexit code 1\n[^]*Error: no\n/);
});

test('of a file that a signal or its watchdog ends, how, and what it said last', async () => {
  const outcomes = await outcomesOf({
    'killed.test.mjs': `
import { test } from 'node:test';
test('kills', () => process.kill(process.pid, 'SIGKILL'));
`,
    'late.test.mjs': `
import { test } from 'node:test';
test('waits', () => { console.error('did not end in 10 min'); process.exit(1); });
`,
  });
  const reasons = Object.fromEntries(outcomes.map(({ name, reason }) => [name, reason]));
  assert.equal(reasons['killed.test.mjs'], 'test failed\nended by SIGKILL');
  assert.equal(reasons['late.test.mjs'], 'test failed\nexit code 1\ndid not end in 10 min');
});
