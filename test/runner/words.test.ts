import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCEPTIONS, WORDS } from './word-list.ts';
import { problemsIn } from './words.ts';

test('reports each listed wording with its line and the term to use', () => {
  const text = [
    'a Folder',
    '// blanks, and nobody',
    'Somebody mends it for good',
    'made anew, given back, begun again, passed over',
    'goes on where it was, without a word, shared out evenly',
    'a name server, half applied, right already, at the very first start',
    'export interface Place {',
  ].join('\n');
  const found = problemsIn('x.ts', text, []);
  assert.equal(found.length, WORDS.length);
  assert.equal(found[0], "x.ts:1: 'Folder': write directory");
});

test('ignores data in quotes, paths and names, but not an identifier with folder', () => {
  assert.deepEqual(
    problemsIn('x.ts', "user 'nobody', http://nobody.test, kp-nobody, recommended, --user=blanks-x", []),
    [],
  );
  assert.equal(problemsIn('x.ts', 'const stateFolder = 1;', []).length, 1);
});

test('an exception applies only to its line in its file', () => {
  const exceptions = ['x.ts: the user nobody'];
  const used = new Set<string>();
  assert.deepEqual(problemsIn('x.ts', '  the user nobody', exceptions, used), []);
  assert.deepEqual([...used], exceptions);
  assert.equal(problemsIn('y.ts', '  the user nobody', exceptions).length, 1);
  assert.equal(problemsIn('x.ts', '  the user nobody else', exceptions).length, 1);
});

test('the exceptions are distinct lines', () => assert.equal(new Set(EXCEPTIONS).size, EXCEPTIONS.length));
