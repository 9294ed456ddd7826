import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import type { Outcome } from './outcomes.ts';
import { hasFailed, NO_COUNTS, type Result } from './result.ts';
import { SUITES } from '../suites.ts';
import { itemsOf, suitesOf } from './plan.ts';
import { failuresOf, lineOf, othersOf, skipsOf, summaryOf, timesOf, type Ran } from './report.ts';

function ranOf(name: string, outcomes: readonly Partial<Outcome>[], more: Partial<Result> = {}): Ran {
  const whole = outcomes.map((outcome): Outcome => ({ file: name, name: 'x', result: 'passed', ...outcome }));
  const count = (result: Outcome['result']) => whole.filter((outcome) => outcome.result === result).length;
  const counts = {
    ...NO_COUNTS,
    tests: whole.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
  };
  const result = { counts, outcomes: whole, text: 'why', seconds: 2, isCut: false, ...more };
  return { item: { suite: 'unit', name, lane: 'processor' }, result, endedAt: 10 };
}

test('the summary counts every file, but no tests of an interrupted one', () => {
  const all = [
    ranOf('a', [{}, {}]),
    ranOf('b', [{ result: 'failed' }]),
    ranOf('c', [{ result: 'failed' }], { isCut: true }),
  ];
  assert.deepEqual(summaryOf(all, 1.5), [
    'ℹ tests 3',
    'ℹ suites 0',
    'ℹ pass 2',
    'ℹ fail 1',
    'ℹ cancelled 0',
    'ℹ skipped 0',
    'ℹ todo 0',
    'ℹ duration_ms 1500',
  ]);
});

test('a failure is reported with its file, test and message, in a line per test, but none for its suite', () => {
  const failed = ranOf('a.test.ts', [
    { name: 'd > t', result: 'failed', reason: 'no\n\n  by: gone' },
    { name: 'd', result: 'failed', reason: '1 subtest failed' },
  ]);
  assert.deepEqual(failuresOf([failed, ranOf('b', [{}])]), ['  a.test.ts: d > t: no by: gone']);
  assert.match(lineOf(failed), /^✖ unit: a\.test\.ts .*\nwhy$/);
  const crashed = ranOf('c', [], { counts: { ...NO_COUNTS, tests: 1, cancelled: 1 } });
  assert.ok(hasFailed(crashed.result));
  assert.deepEqual(failuresOf([crashed]), ['  c: why']);
  const killed = ranOf('d', [{ name: 'd', result: 'failed' }], { text: 'said\n\nexitCode: 1\n' });
  assert.deepEqual(failuresOf([killed]), ['  d: said exitCode: 1']);
});

test('a failure in an interrupted file does not count', () => {
  const cut = ranOf('a', [{ result: 'failed' }], { isCut: true });
  assert.deepEqual(failuresOf([cut]), []);
  assert.match(lineOf(cut), /^✂ /);
});

test('skipped tests are listed by reason', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const skipped = names.map((name): Partial<Outcome> => ({ name, result: 'skipped', reason: 'needs root' }));
  assert.deepEqual(skipsOf([ranOf('a', skipped)]), ['  unit: needs root', '    a; b; c; and 2 more']);
});

test('a suite has a row with its wall time, its cost and its slowest files', () => {
  const rows = timesOf([ranOf('test/unit/a.test.ts', [{}], { cpuSeconds: 3 }), ranOf('test/unit/b.test.ts', [{}])]);
  assert.deepEqual(rows, ['unit             2 s  CPU     3 s  2 tests  (a 2 s, b 2 s)']);
});

test('every suite is in one tier, has files, and is listed with its command if it did not run', () => {
  const full = suitesOf('full');
  const quick = suitesOf('test');
  assert.ok(quick.length > 0 && quick.every((name) => full.includes(name)));
  for (const name of full) {
    assert.ok(itemsOf([name]).length > 0, name);
    assert.equal(
      othersOf(quick).some((line) => line.includes(`SUITE=${name} `)),
      !quick.includes(name),
      name,
    );
  }
  assert.throws(() => suitesOf('units'), /no suite 'units'; there is test, full, check, unit/);
});

test('every test file is in exactly one suite of make test-full, or only in one that is asked for', () => {
  const names = itemsOf(suitesOf('full')).map(({ name }) => name);
  const suites = SUITES.filter(({ tier }) => tier === 'asked').map(({ name }) => name);
  const asked = new Set(itemsOf(suites).map(({ name }) => name));
  const count = (file: string) => names.filter((name) => name === file).length;
  const files = globSync('test/**/*.test.ts');
  assert.deepEqual(
    files.filter((file) => count(file) !== 1 && (count(file) > 1 || !asked.has(file))),
    [],
  );
});
