import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { itemsOf, suitesOf } from '../runner/plan.ts';
import { CAPABILITIES } from './capabilities/index.ts';
import { namesOf } from './row.ts';

const RUN = new Set(itemsOf(suitesOf('full')).map(({ name }) => name));

/** The text of a file and of its imported test modules, in which titles are searched: quotes without backslashes. */
function textOf(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const modules = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));
  const own = modules.filter((path) => path.startsWith('test/') && existsSync(path));
  return [text.replaceAll(/\\(['"`])/g, '$1'), ...own.map((path) => textOf(path, seen))].join('\n');
}

for (const { name, rows } of CAPABILITIES) {
  test(`${name}: every row names a file that a suite runs`, () => {
    assert.deepEqual(
      rows.filter(({ file }) => !RUN.has(file)).map(({ file }) => file),
      [],
    );
  });

  test(`${name}: every test that a row names is in its file`, () => {
    const files = [...new Set(rows.map(({ file }) => file))];
    // A file that does not exist has no tests, so each of its rows is reported.
    const texts = new Map(files.map((file) => [file, existsSync(file) ? textOf(file) : '']));
    const gone = rows.flatMap((row) =>
      namesOf(row)
        .filter(
          (one) => typeof one === 'string' && !one.split(' > ').every((part) => texts.get(row.file)?.includes(part)),
        )
        .map((one) => `${row.file}: ${String(one)}`),
    );
    assert.deepEqual(gone, []);
  });

  test(`${name}: no two rows have the same point`, () => {
    assert.equal(new Set(rows.map(({ point }) => point)).size, rows.length);
  });
}
