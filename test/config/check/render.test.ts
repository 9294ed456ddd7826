import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDifferences } from '../../../src/config/check/index.ts';

const DIGEST = { bytes: 1, digest: '12345678' };
const ALL = [
  {
    path: '/etc/a',
    entry: 'config_files[0]',
    content: { actual: DIGEST, wanted: DIGEST, diff: ['@@ -1,1 +1,1 @@', '-a', '+b', ' '] },
    mode: { actual: '0644', wanted: '0600' },
    owner: { actual: '0:0', wanted: '*:42425' },
  },
  { path: '/etc/\u001B[2J', entry: 'config_files[1]', target: { actual: '/a', wanted: '/b' } },
];

const rendered = (color: boolean) => renderDifferences(ALL, { isTerminal: color, color, width: 80 });

test('one line per file, and its differences below', () => {
  assert.equal(
    rendered(false),
    `/etc/a (config_files[0])
  content differs (- installed, + wanted)
  @@ -1,1 +1,1 @@
  -a
  +b

  mode is 0644, should be 0600
  owner is 0:0, should be *:42425
/etc/\\u001b[2J (config_files[1])
  links to /a, should link to /b
`,
  );
});

test('colours are used only on a terminal', () => {
  assert.ok(rendered(true).includes('\u001B[31m-a\u001B[0m'));
  assert.ok(!rendered(false).includes('\u001B'));
});
