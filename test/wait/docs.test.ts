import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ANY, KINDS } from '../../src/wait/index.ts';

const page = await readFile(new URL('../../docs/reference/kolla-init.md', import.meta.url), 'utf8');
const table = page.slice(page.indexOf('| `--wait` |'), page.indexOf('`@NAMESPACE` after'));

for (const { word, aliases, form } of KINDS) {
  const separator = { object: '/', server: '://', url: '://', path: ':' }[form];
  // Other names of resources are kubectl's.
  const names = form === 'object' ? [word] : [word, ...aliases];
  for (const name of names)
    test(`the page documents waiting for ${name}`, () => {
      assert.ok(table.split(`\`${name}${separator}`).length > 1, name);
    });
}

test('no two waits have the same prefix', () => {
  const names = KINDS.flatMap(({ word, aliases }) => [word, ...aliases]);
  assert.deepEqual(names, [...new Set(names)]);
});

test('the page has every option of every kind', () => {
  const options = new Set([...KINDS, ANY].flatMap((kind) => (kind.form === 'object' ? kind.options : [])));
  for (const option of ['timeout', 'label', ...options])
    assert.match(page, new RegExp(`^\\| \`${option}=`, 'm'), option);
});
