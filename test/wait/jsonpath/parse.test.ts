import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonPathSyntaxError, parseJsonPath } from '../../../src/wait/jsonpath/parse.ts';

for (const [text, offset, why] of [
  ['{}}', 2, 'nothing may follow the closing brace'],
  ['{.}', 2, 'a name is missing'],
  ['{.a', 3, "'}' is missing"],
  ['{.a[}', 4, 'is missing'],
  ['{.a[0}', 4, 'is missing'],
  ["{.a['x'}", 7, "']' is missing"],
  ['{.a[?(@.b[?(@.c)])]}', 10, 'a filter cannot contain another'],
  ['{.a[0:2:0]}', 4, 'the step of a slice is at least 1'],
  ['{.a[x]}', 4, 'is missing'],
  ["{.a['x]}", 4, 'is missing'],
  ['{.a[?(@.b=="c]}', 11, 'is missing'],
  ['{.a[?(@.b==)]}', 11, 'is missing'],
  ['{.a[?()]}', 6, 'is missing'],
  ['{.a[?(@.b=c)]}', 9, "')' is missing"],
  ['{.a[?(alert(1))]}', 6, 'is missing'],
  ['{.a[?(@.b==this.c)]}', 11, 'is missing'],
  ['{...a}', 3, 'a name is missing'],
  ['{range .a}', 1, "'}' is missing"],
] as const)
  test(`${text} is rejected at offset ${offset}`, () => {
    assert.throws(
      () => parseJsonPath(text),
      (error) => error instanceof JsonPathSyntaxError && error.offset === offset && error.message.includes(why),
    );
  });
