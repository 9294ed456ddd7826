import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactor } from '../../src/core/redact.ts';

test('a secret is hidden in every spelling', () => {
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

test("a multi-line secret is hidden on each line, and in Python's and SQL's notation", () => {
  const redact = redactor(['first\'line\nsecond"line']);
  assert.equal(redact("a first'line"), 'a ***');
  assert.equal(redact('second"line b'), '*** b');
  assert.equal(redact(String.raw`IDENTIFIED BY 'first\'line\nsecond"line'`), "IDENTIFIED BY '***'");
});

test('an empty list of secrets hides nothing', () => {
  assert.equal(redactor([undefined, ''])('as it is'), 'as it is');
});

test('a secret that is a prefix of another leaves nothing of it', () => {
  assert.equal(redactor(['abc', 'abcdef'])('abcdef abc'), '*** ***');
});
