import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import type { JudgedRow, Page } from './judge.ts';
import { textOf, writePages } from './page.ts';
import { EVERY } from './row.ts';

const HOLDS: JudgedRow = {
  row: { point: 'a | b', file: 'test/a.test.ts', test: ['one', /^two|three/, EVERY] },
  verdict: 'holds',
  passed: 3,
  why: '',
};
const PAGE: Page = {
  name: 'waits',
  title: 'Waiting',
  commit: '0123456789ab',
  rows: [
    HOLDS,
    { ...HOLDS, row: { point: 'c', file: 'test/c.test.ts', test: 'c' }, verdict: 'not run', passed: 0, why: 'no root' },
    {
      ...HOLDS,
      row: { point: 'd', file: 'test/d.test.ts', test: 'd' },
      verdict: 'fails',
      passed: 1,
      why: "'d' failed",
    },
  ],
};

test('a page has one line per row and the number of points that hold', () => {
  const lines = textOf(PAGE).split('\n');
  assert.equal(lines[0], '# Waiting');
  assert.match(lines[2] ?? '', /: 1 of 3 points hold\./);
  assert.deepEqual(lines.slice(6, 9), [
    '| a \\| b | one; /^two\\|three/; all of the file | `test/a.test.ts` | 3 | 0123456789ab | yes |',
    '| c | c | `test/c.test.ts` | 0 | 0123456789ab | not run here: no root |',
    "| d | d | `test/d.test.ts` | 1 | 0123456789ab | **no**: 'd' failed |",
  ]);
});

test('pages are written under their names', async () => {
  await using directory = await privateDirectory('pages');
  const handle = join(directory.path, 'docs/evidence');
  await writePages([PAGE], handle);
  assert.equal(await readFile(join(handle, 'waits.md'), 'utf8'), textOf(PAGE));
});
