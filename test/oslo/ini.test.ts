import assert from 'node:assert/strict';
import { test } from 'node:test';
import { osloOption } from '../../src/oslo/ini.ts';

const at = (text: string) => osloOption(text, 'database', 'connection');

test('an option is found in its section only', () => {
  assert.equal(
    at('connection = no\n[other]\nconnection = no\n[database]\nconnection = yes\n[x]\nconnection = no\n'),
    'yes',
  );
});

test('the last of several values applies, also across two sections of one name', () => {
  assert.equal(at('[database]\nconnection=a\nconnection=b\n[x]\ny=1\n[database]\nconnection=c\n'), 'c');
});

test('an indented line continues the value above', () => {
  assert.equal(at('[database]\nconnection = a\n  b\nother = x\n  y\n'), 'a\nb');
});

test('comments and blank lines end a value', () => {
  assert.equal(at('[database]\n# connection = no\n;connection = no\nconnection = a # b\n\n'), 'a # b');
});

test('the first of = and : is the separator', () => {
  assert.equal(at('[database]\nconnection: mysql://u:p@h/d?a=b\n'), 'mysql://u:p@h/d?a=b');
});

test('percent signs, dollars and inner quotes are kept; outer quotes are removed', () => {
  assert.equal(at(`[database]\nconnection = "a%40$b'c"\n`), `a%40$b'c`);
});

test('a file without the option has no value', () => {
  assert.equal(at('[database]\nconnections = a\n'), undefined);
});

for (const text of ['[database]\nhunter2\n', '  hunter2\n', '[hunter2\n', '[database]\n=hunter2\n']) {
  test(`${JSON.stringify(text)} is rejected with its line number, not its text`, () => {
    assert.throws(
      () => at(text),
      (error: unknown) =>
        error instanceof RangeError && /^line \d/.test(error.message) && !error.message.includes('hunter2'),
    );
  });
}

test('a line as long as a file is parsed in linear time', () => {
  const word = 'a'.repeat(1_000_000);
  assert.throws(() => at(`[database]\n${word}`), /^RangeError: line 2 is not KEY = VALUE$/);
  assert.equal(at(`[database]\n${word}=\nconnection=${word}`), word);
});
