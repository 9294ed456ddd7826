/** docs/evidence/: no file that nothing prints, no commit that is not in this history, no shortfall without its reason. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../build/bundle.ts';
import { commitsIn, EVIDENCE, filesOf } from '../../build/evidence.ts';
import { must } from '../../tools/process.ts';

const DIRECTORY = join(ROOT, 'docs/evidence');
const files = readdirSync(DIRECTORY).filter((name) => name !== 'README.md');
const textOf = (name: string) => readFileSync(join(DIRECTORY, name), 'utf8');
const git = (...args: string[]) => must('git', ['-C', ROOT, ...args]);
const isShallow = (await git('rev-parse', '--is-shallow-repository').catch(() => 'no git')).trim();
const skip = isShallow === 'false' ? false : 'this clone has no history';

/** A cell that admits a shortfall and says nothing else. */
const BARE_NO = /\| *(?:\*\*)?(?:no|not run)(?:\*\*)? *(?=\|)/i;

test('each file belongs to one row of build/evidence.ts', () => {
  assert.deepEqual(EVIDENCE.flatMap(filesOf).toSorted(), files.toSorted());
});

test('each commit that a file states is in this history', { skip }, async () => {
  const known = new Set((await git('rev-list', 'HEAD')).split('\n').map((line) => line.slice(0, 12)));
  const unknown = files.flatMap((name) =>
    commitsIn(textOf(name))
      .filter((commit) => !known.has(commit))
      .map((commit) => `${name}: ${commit}`),
  );
  assert.deepEqual(unknown, [], 'a page of a commit that is in no history cannot be repeated');
});

test('most pages state their commit', () => {
  const silent = files.filter((name) => name.endsWith('.md') && commitsIn(textOf(name)).length === 0);
  assert.deepEqual(silent, ['binary.md', 'image-sizes.md'], 'these are compared by the commit that changed them last');
});

test('a commit is found as pages and figures state it', () => {
  const page =
    '# A page\n\nPrinted at commit\n0123456789ab, and at abcdef012345 with changes.\n\n## Rows\n\nat aaaaaaaaaaaa\n';
  assert.deepEqual(commitsIn(page), ['0123456789ab', 'abcdef012345 with changes']);
  assert.deepEqual(commitsIn('{"commit": "0123456789ab", "parts": [{"commit":"abcdef012345"}]}'), [
    '0123456789ab',
    'abcdef012345',
  ]);
});

test('no page says no or not run without a reason', () => {
  assert.match('| a | **no** | b |', BARE_NO);
  assert.doesNotMatch('| a | not run: no time | no host |', BARE_NO);
  for (const name of files.filter((one) => one.endsWith('.md'))) assert.doesNotMatch(textOf(name), BARE_NO, name);
});
