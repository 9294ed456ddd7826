import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceOf, shortfalls, type JudgedRow } from './judge.ts';
import { notRun, type Outcome } from '../runner/outcomes.ts';
import { EVERY, type Row } from './row.ts';

const FILE = 'test/a.test.ts';
const COMMIT = '0123456789ab';

/** The outcomes of one file by name: true means passed, false means failed, and a string is the reason of a skip. */
function outcomesBy(results: Readonly<Record<string, boolean | string>>): Outcome[] {
  return Object.entries(results).map(([name, seen]) =>
    typeof seen === 'string'
      ? { file: FILE, name, result: 'skipped', reason: seen }
      : { file: FILE, name, result: seen ? 'passed' : 'failed' },
  );
}

function judged(names: Row['test'], results: readonly Outcome[], least?: number): JudgedRow {
  const row: Row = { point: 'it holds', file: FILE, test: names, ...(least !== undefined && { least }) };
  const [page] = evidenceOf(results, COMMIT, [{ name: 'a', title: 'A', rows: [row] }]);
  return page!.rows[0]!;
}

test('a row holds if its test passed', () => {
  const { verdict, passed } = judged('one', outcomesBy({ one: true, other: false }));
  assert.deepEqual([verdict, passed], ['holds', 1]);
});

test('a name matches a test, a describe() around it, or both joined', () => {
  const results = outcomesBy({ 'group > part > one': true, 'group > part > two': true, 'group > three': true });
  for (const [name, count] of [
    ['one', 1],
    ['part', 2],
    ['group', 3],
    ['part > two', 1],
    [/^group > t/, 1],
    [EVERY, 3],
  ] as const)
    assert.equal(judged(name, results).passed, count, String(name));
});

test('a part of a name does not match', () => {
  assert.equal(judged('one', outcomesBy({ 'one more': true, 'group > not one': true })).verdict, 'missing');
});

test('one failed test is enough for a row not to hold', () => {
  const { verdict, why } = judged('group', outcomesBy({ 'group > one': true, 'group > two': false }));
  assert.deepEqual([verdict, why], ['fails', "'group > two' failed"]);
});

test('a name without a test in the file fails the run with the point', () => {
  const results = [...outcomesBy({ other: true }), { file: 'test/b.test.ts', name: 'one', result: 'passed' } as const];
  const [page] = evidenceOf(results, COMMIT, [
    { name: 'a', title: 'A', rows: [{ point: 'it holds', file: FILE, test: 'one' }] },
  ]);
  assert.deepEqual(shortfalls([page!]), ["a: 'it holds' (test/a.test.ts): no test 'one' was run"]);
});

test('each of several names must match', () => {
  assert.equal(judged(['one', 'two'], outcomesBy({ one: true })).verdict, 'missing');
  assert.equal(judged(['one', EVERY], outcomesBy({ one: true, two: true })).passed, 2);
});

test('a row with only skipped tests is not run, with the reason, and does not fail the run', () => {
  const one = judged('group', outcomesBy({ 'group > one': 'no root', 'group > two': 'no root' }));
  assert.deepEqual([one.verdict, one.passed, one.why], ['not run', 0, 'no root']);
  const page = { name: 'a', title: 'A', commit: COMMIT, rows: [one] };
  assert.deepEqual(shortfalls([page]), []);
});

test('a name with only skipped tests makes the row not run, whatever the others did', () => {
  assert.equal(judged(['one', 'two'], outcomesBy({ one: true, two: 'no root' })).verdict, 'not run');
});

test('a skipped test next to passed ones does not change the row', () => {
  const { verdict, passed } = judged('group', outcomesBy({ 'group > one': true, 'group > two': 'no groff' }));
  assert.deepEqual([verdict, passed], ['holds', 1]);
});

test('a skipped describe() counts for all tests in it, whose names are unknown', () => {
  const skipped: Outcome = { file: FILE, name: 'group', result: 'skipped', reason: 'no root', isSuite: true };
  assert.deepEqual([judged('one', [skipped]).verdict, judged('group', [skipped]).why], ['not run', 'no root']);
  // A skipped test does not represent others.
  assert.equal(judged('one', outcomesBy({ two: 'no root' })).verdict, 'missing');
});

test('a file that was not run is reported, and does not fail the run', () => {
  const { verdict, why } = judged('one', notRun([FILE]));
  assert.deepEqual([verdict, why], ['not run', 'no time was left']);
  assert.equal(judged('one', []).verdict, 'missing');
});

test('a file that fails to load fails its rows', () => {
  const broken: Outcome = { file: FILE, name: `/somewhere/${FILE}`, result: 'failed' };
  assert.equal(judged('one', [broken]).verdict, 'fails');
});

test('a row with fewer tests than required does not hold, unless the missing ones were skipped', () => {
  const results = outcomesBy({ 'case 1': true, 'case 2': true });
  assert.equal(judged(/^case/, results, 2).verdict, 'holds');
  assert.deepEqual(judged(/^case/, results, 3).why, '2 passed of at least 3');
  const skipped = outcomesBy({ 'case 3': 'no such server' });
  assert.equal(judged(/^case/, [...results, ...skipped], 3).verdict, 'not run');
  const other = outcomesBy({ another: 'no root' });
  assert.equal(judged(/^case/, [...results, ...other], 3).verdict, 'fails');
});
