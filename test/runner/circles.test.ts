import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { importsOf } from './changed.ts';
import { circlesOf } from './circles.ts';

test('no files of src import each other in a circle, types counted', () => {
  const found = circlesOf(globSync('src/**/*.ts').toSorted(), importsOf);
  assert.deepEqual(found, [], 'move what both need into a file of its own');
});

test('circles are found in a tree: of two files, of one, and of four in two circles', () => {
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
    'a way through files that are not looked at is none',
  );
});
