import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ANY, KINDS } from '../../src/wait/index.ts';

const page = await readFile(new URL('../../docs/reference/kolla-init.md', import.meta.url), 'utf8');
const table = page.slice(page.indexOf('| `--wait` |'), page.indexOf('`@NAMESPACE` after'));

for (const { word, form } of KINDS) {
  test(`the page documents waiting for ${word}`, () => {
    const separator = { object: '/', server: '://', url: '://', path: ':' }[form];
    assert.ok(table.split(`\`${word}${separator}`).length > 1, word);
  });
}

test('the page has every option of every kind', () => {
  const options = new Set([...KINDS, ANY].flatMap((kind) => (kind.form === 'object' ? kind.options : [])));
  for (const option of ['timeout', 'label', ...options])
    assert.match(page, new RegExp(`^\\| \`${option}=`, 'm'), option);
});
