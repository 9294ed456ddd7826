import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { importsOf } from './changed.ts';
import { circlesOf } from './circles.ts';

/** Those that are still to be opened. This list only shrinks: a circle that is opened, or smaller, leaves it. */
const KNOWN: readonly (readonly string[])[] = [
  [
    'src/migrate/ensure/command.ts',
    'src/migrate/ensure/ensure.ts',
    'src/migrate/ensure/index.ts',
    'src/migrate/ensure/make-ready.ts',
    'src/migrate/ensure/missing.ts',
    'src/migrate/fencing/client.ts',
    'src/migrate/fencing/end-account.ts',
    'src/migrate/fencing/index.ts',
    'src/migrate/fencing/own.ts',
    'src/migrate/fencing/predecessor.ts',
    'src/migrate/look.ts',
    'src/migrate/plan.ts',
    'src/migrate/record/up-to-date.ts',
    'src/migrate/steps/check.ts',
    'src/migrate/steps/half-applied.ts',
    'src/migrate/steps/run-steps.ts',
    'src/migrate/target/hosts.ts',
    'src/migrate/tool/ensure-tool.ts',
    'src/migrate/tool/index.ts',
    'src/migrate/tool/listing.ts',
    'src/migrate/tool/plan-tool.ts',
    'src/migrate/tool/recorded.ts',
  ],
  ['src/migrate/lease/take.ts', 'src/migrate/lease/while-held.ts'],
  ['src/migrate/tool/find-tasks.ts', 'src/migrate/tool/find-variables.ts'],
  ['src/probe/kolla/helpers.ts', 'src/probe/kolla/run.ts'],
];

test('no files of src import each other in a circle, types counted, but those that are known', () => {
  const found = circlesOf(globSync('src/**/*.ts').toSorted(), importsOf);
  assert.deepEqual(
    found,
    KNOWN,
    'open a new circle (move what both need into a file of its own); strike out an opened one',
  );
});

test('circles are found in a tree: of two files, of one, and of four that two circles make', () => {
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
