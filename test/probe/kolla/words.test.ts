import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedOf, parseWords } from '../../../src/probe/kolla/words.ts';

const words = (text: string) => parseWords(Buffer.from(text));

test('words are read by their lengths in bytes, whatever is in them', () => {
  const asked = askedOf(words('p2:17,a3:a:,,a0:,a4:ä\n%,e6:X=a=b\n,'));
  assert.deepEqual(asked, { pid: 17, argv: ['a:,', '', 'ä\n%'], env: { X: 'a=b\n' } });
});

for (const text of ['a', 'a3:ab,', 'a2:abc', 'b1:x,', 'a01:x,', 'a-1:x,', 'a1:x,a', ':', 'a9999999:x,', 'a1:x;'])
  test(`what is no such text is refused with its place: ${text}`, () => {
    assert.throws(() => words(text), { name: 'RangeError', message: /^no word at byte \d+$/ });
  });

test('nothing is no words, and a pid that is none is not known', () => {
  assert.deepEqual(askedOf(words('')), { argv: [], env: {}, pid: undefined });
  assert.equal(askedOf(words('p1:0,')).pid, undefined);
  assert.equal(askedOf(words('p3:1x2,')).pid, undefined);
});
