import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { importsOf } from './changed.ts';
import { circlesOf } from './circles.ts';

test('src has no import cycles, type imports included', () => {
  const found = circlesOf(globSync('src/**/*.ts').toSorted(), importsOf);
  assert.deepEqual(found, [], 'move the shared part into a separate file');
});

test('finds cycles in a tree: of two files, of one, and of four in two cycles', () => {
  const imports: Readonly<Record<string, readonly string[]>> = {
    a: ['b'],
    b: ['a', 'alone'],
    alone: ['elsewhere'],
    itself: ['itself'],
    p: ['q', 'a'],
    q: ['p', 'r'],
    r: ['s'],
    s: ['q'],
  };
  const found = circlesOf(Object.keys(imports), (file) => imports[file] ?? []);
  assert.deepEqual(found, [['a', 'b'], ['itself'], ['p', 'q', 'r', 's']]);
  assert.deepEqual(
    circlesOf(['a', 'p'], (file) => imports[file] ?? []),
    [],
    'ignores a path through files outside the given set',
  );
});
