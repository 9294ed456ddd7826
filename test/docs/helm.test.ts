import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { chartNames } from '../../build/charts.ts';

const ROOT = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/how-to/helm.md', ROOT), 'utf8');
const rows = [...page.matchAll(/^\| \[([\w-]+)\]\(\.\.\/\.\.\/k8s\/charts\/\1\) \|[^|]*\| ([^|]*) \|$/gm)];

test('the page has every chart', () => {
  assert.deepEqual(rows.map(([, name = '']) => name).toSorted(), chartNames().toSorted());
});

for (const [, name = '', exempt = ''] of rows)
  test(`the page states whether ${name} has an exempt Pod`, async () => {
    const values = await readFile(new URL(`k8s/charts/${name}/defaults.yaml`, ROOT), 'utf8');
    assert.equal(!/exempt: ["']?\w/.test(values), exempt.startsWith('nothing'));
  });
