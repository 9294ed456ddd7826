import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { expandedSize, parseYaml } from '../../src/core/yaml-budget.ts';

/** Lists of two aliases each, of the former one: 2 ** levels values. */
function doubled(levels: number): string {
  const rows = Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`);
  return `a0: &a0 [x]\n${rows.join('')}`;
}

test('each use of an alias counts, and each value is visited once', () => {
  // Of 2 ** i lists in 2 ** i lists ... : size(0) = 3, size(i) = 1 + 2 * size(i - 1).
  assert.equal(expandedSize(load('[&a [x], *a, *a]'), 100), 1 + 3 * 3);
  assert.equal(expandedSize(load('{ key: text }'), 100), 1 + 3 + 5);
  assert.equal(expandedSize(load('&a { k: &b [x] }'), 100), 1 + 1 + 3);
});

test('a document beyond its budget is refused without its content', () => {
  const budget = { textMax: 400, valuesMax: 100, expandedMax: 200 };
  const values = parseYaml(doubled(3), load, budget);
  assert.deepEqual(Object.keys(values as object), ['a0', 'a1', 'a2', 'a3']);
  const expands = { name: 'RangeError', message: 'more than 200 characters with its aliases expanded' };
  assert.throws(() => parseYaml(doubled(6), load, budget), expands);
  for (const text of [`[${'x,'.repeat(99)}x]`, '- a\n'.repeat(50), 'a: b\n'.repeat(50), `[${'[],'.repeat(50)}]`])
    assert.throws(() => parseYaml(text, assert.fail, { ...budget, valuesMax: 99 }), { message: 'more than 99 values' });
  assert.throws(() => parseYaml('#'.repeat(401), load, budget), { message: 'longer than 400 characters' });
});

test('an alias within its own anchor, or of too many levels, is refused', () => {
  assert.throws(() => parseYaml('a: &a { b: *a }', load), { message: 'an alias within its own anchor' });
  const chain = Array.from({ length: 101 }, (_, i) => `- &a${i + 1} [*a${i}]\n`).join('');
  assert.throws(() => parseYaml(`- &a0 []\n${chain}`, load), { message: 'more than 100 levels' });
});

test('a document without aliases has the size of its text', () => {
  const text = `[${'x,'.repeat(2 ** 17)}x]`;
  assert.equal((parseYaml(text, load) as unknown[]).length, 2 ** 17 + 1);
});
