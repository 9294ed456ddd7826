import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCEPTIONS, WORDS } from './word-list.ts';
import { problemsIn } from './words.ts';

test('each listed wording is reported with its line and the term to write', () => {
  const text = [
    'a Folder',
    '// blanks, and nobody',
    'Somebody mends it for good',
    'made anew, given back, begun again, passed over',
    'goes on where it was, without a word, shared out evenly',
    'a name server, half applied, right already, at the very first start',
  ].join('\n');
  const found = problemsIn('x.ts', text, []);
  assert.equal(found.length, WORDS.length);
  assert.equal(found[0], "x.ts:1: 'Folder': write directory");
});

test('data in quotes, a path or a name is no wording, but an identifier with folder is', () => {
  assert.deepEqual(
    problemsIn('x.ts', "user 'nobody', http://nobody.test, kp-nobody, recommended, --user=blanks-x", []),
    [],
  );
  assert.equal(problemsIn('x.ts', 'const stateFolder = 1;', []).length, 1);
});

test('an exception applies to its line in its file only', () => {
  const exceptions = ['x.ts: the user nobody'];
  const used = new Set<string>();
  assert.deepEqual(problemsIn('x.ts', '  the user nobody', exceptions, used), []);
  assert.deepEqual([...used], exceptions);
  assert.equal(problemsIn('y.ts', '  the user nobody', exceptions).length, 1);
  assert.equal(problemsIn('x.ts', '  the user nobody else', exceptions).length, 1);
});

test('the exceptions are distinct lines', () => assert.equal(new Set(EXCEPTIONS).size, EXCEPTIONS.length));
