import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactor } from '../../src/core/redact.ts';

test('a secret is hidden however it is spelled', () => {
  const secret = `p@s's"\\é`;
  const redact = redactor([secret]);
  for (const spelled of [
    secret,
    JSON.stringify(secret),
    `IDENTIFIED BY 'p@s\\'s\\"\\\\é'`,
    'u:p%40s%27s%22%5C%C3%A9@h',
  ]) {
    assert.match(redact(`before ${spelled} after`), /^before .*\*\*\*.* after$/);
    assert.doesNotMatch(redact(spelled), /s.?'s|%40s/);
  }
});

test('a secret of several lines is hidden in each of them, and as Python or SQL show it', () => {
  const redact = redactor(['first\'line\nsecond"line']);
  assert.equal(redact("a first'line"), 'a ***');
  assert.equal(redact('second"line b'), '*** b');
  assert.equal(redact(String.raw`IDENTIFIED BY 'first\'line\nsecond"line'`), "IDENTIFIED BY '***'");
});

test('no secrets hide nothing', () => {
  assert.equal(redactor([undefined, ''])('as it is'), 'as it is');
});

test('a secret that begins another leaves none of it', () => {
  assert.equal(redactor(['abc', 'abcdef'])('abcdef abc'), '*** ***');
});
