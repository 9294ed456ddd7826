import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CHECKS } from '../../src/probe/checks/index.ts';

test('docs/reference/kolla-probe.md has a row for every check', async () => {
  const page = await readFile(new URL('../../docs/reference/kolla-probe.md', import.meta.url), 'utf8');
  // One table on the page is written by hand, so `make docs` does not reveal that a row is missing.
  const rows = new Set([...page.matchAll(/^\| `kolla-probe ([\w-]+)/gm)].map(([, word = '']) => word));
  assert.deepEqual(CHECKS.map(({ word }) => word).toSorted(), [...rows].toSorted());
});
