import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { SUITES } from '../suites.ts';

/** The patterns that a pattern with braces stands for. */
function alternatives(pattern: string): readonly string[] {
  const [, before = '', inside, after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(pattern) ?? [];
  return inside === undefined ? [pattern] : inside.split(',').flatMap((one) => alternatives(before + one + after));
}

test('each pattern of a suite, and each alternative in it, matches a file', () => {
  for (const { name, processor = [], waits = [], node = [] } of SUITES)
    for (const pattern of [...processor, ...waits, ...node].flatMap(alternatives))
      assert.notDeepEqual(globSync(pattern), [], `${name}: ${pattern}`);
});
