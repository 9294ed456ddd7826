import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findValues } from '../../../src/wait/jsonpath/find.ts';
import { parseJsonPath } from '../../../src/wait/jsonpath/parse.ts';
import { MalformedError } from '../../../src/wait/shape/shape.ts';

function find(path: string, object: unknown): readonly unknown[] {
  return findValues(parseJsonPath(path), object);
}

test('inherited fields do not exist', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'length'])
    assert.deepEqual(find(`{.a.${name}}`, { a: [] }).concat(find(`{.${name}}`, {})), []);
});

test('an index or slice beyond the list gives no value', () => {
  assert.deepEqual(
    ['{.a[3]}', '{.a[-4]}', '{.a[5:9]}', '{.b[0]}', '{.c[0]}'].map((path) => find(path, { a: [1, 2, 3], c: 'text' })),
    [[], [], [], [], []],
  );
});

for (const [filter, object] of [
  ['?(@.n=="1")', { a: [{ n: 1 }] }],
  ['?(@.n==1)', { a: [{ n: null }] }],
  ['?(@.n<true)', { a: [{ n: true }] }],
  ['?(@.n=="x")', { a: [{ n: ['x'] }] }],
  ['?(@..n==1)', { a: [{ n: 1, m: { n: 2 } }] }],
] as const)
  test(`${filter} of ${JSON.stringify(object)} is malformed`, () => {
    assert.throws(() => find(`{.a[${filter}]}`, object), MalformedError);
  });

test('an object nested deeper than the stack is searched', () => {
  let object: object = { found: 'yes' };
  for (let i = 0; i < 200_000; i++) object = { a: object };
  assert.deepEqual(find('{..found}', object), ['yes']);
});
