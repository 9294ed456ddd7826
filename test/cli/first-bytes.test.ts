import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstBytes } from '../../src/cli/first-bytes.ts';

test('short text is not changed', () => {
  assert.equal(firstBytes('', 8), '');
  assert.equal(firstBytes('für uns', 8), 'für uns');
});

test('long text is truncated between characters, with a mark', () => {
  assert.equal(firstBytes('abcdefghi', 8), 'abcde...');
  for (const text of ['ü'.repeat(9), `x${'ü'.repeat(9)}`, '\u{1F600}'.repeat(9), `xyz${'\u{1F600}'.repeat(9)}`])
    for (let max = 3; max < Buffer.byteLength(text); max++) {
      const cut = firstBytes(text, max);
      assert.ok(Buffer.byteLength(cut) <= max);
      assert.ok(text.startsWith(cut.slice(0, -3)) && cut.endsWith('...'), cut);
    }
});
