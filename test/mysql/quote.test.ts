import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteAccount, quoteName, quotePattern, quoteText } from '../../src/mysql/index.ts';

test('a backtick in a name is doubled', () => {
  assert.equal(quoteName('a`b'), '`a``b`');
});

test('quotes, backslashes and NUL in a text are escaped', () => {
  assert.equal(quoteText(`a'b\\c\0`), String.raw`'a\'b\\c\0'`);
});

test('wildcards in the name of a granted database are escaped', () => {
  assert.equal(quotePattern('key_stone%'), '`key\\_stone\\%`');
});

test('user and host of an account are each quoted', () => {
  assert.equal(quoteAccount("o'k", '10.0.0.%'), String.raw`'o\'k'@'10.0.0.%'`);
});
