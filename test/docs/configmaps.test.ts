import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { LINE_RULES } from '../../src/toolbox/configmaps/line-rules.ts';
import { judge } from '../../src/toolbox/configmaps/secrecy.ts';

const page = await readFile(new URL('../../docs/how-to/configmaps.md', import.meta.url), 'utf8');

test('the page has every rule about lines, in order, and no other', () => {
  const [, table = ''] = /\| rule \|.*\n.*\n((?: +\|.*\n)+)/.exec(page) ?? [];
  const rules = [...table.matchAll(/^ +\| ([^|]+) \|/gm)].map(([, rule]) => rule);
  assert.deepEqual(
    rules,
    LINE_RULES.map(({ what }) => what),
  );
});

test('each path that the page calls secret is secret, whatever the file contains', () => {
  const [, names = ''] = /^3\. .*\((.*)\)/m.exec(page) ?? [];
  const paths = [...names.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
  assert.ok(paths.length >= 5);
  for (const path of paths)
    assert.ok(judge({ path, bytes: Buffer.from('{}'), mode: 0o644, entries: [] }).isSecret, path);
});
