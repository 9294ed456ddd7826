import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaningOf } from '../../src/dbsync/half-applied.ts';
import { LastLines } from '../../src/dbsync/last-lines.ts';

test('the last twenty lines are kept, in their order', () => {
  const lines = new LastLines();
  for (let i = 1; i <= 50; i++) lines.add(`line ${i}`);
  const kept = String(lines).split('\n');
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [20, 'line 31', 'line 50']);
});

test('long lines are cut at their beginning, and not through a character', () => {
  const lines = new LastLines();
  lines.add(`${'x'.repeat(10)}${'😀'.repeat(2100)}y`);
  const kept = String(lines);
  assert.ok(kept.length <= 4000);
  assert.match(kept, /^😀.*y$/u);
});

test('the first error of the server is kept, however much follows it', () => {
  const lines = new LastLines();
  lines.add(`pymysql.err.OperationalError: (1050, "Table 'role' already exists")`);
  lines.add(`pymysql.err.OperationalError: (1060, "Duplicate column name 'x'")`);
  for (let i = 1; i <= 30; i++) lines.add(`CREATE TABLE line ${i}`);
  assert.deepEqual(lines.serverError, { errno: 1050, text: "Table 'role' already exists" });
  assert.match(String(lines), /^pymysql.*1050.*\n\.\.\.\nCREATE TABLE line 11\n/);
});

test('the error is not shown twice when it is among the last lines', () => {
  const lines = new LastLines();
  lines.add('before');
  lines.add("(1044, 'Access denied')");
  assert.equal(String(lines), "before\n(1044, 'Access denied')");
});

test('only what stands in the way is called half applied', () => {
  assert.match(meaningOf({ errno: 1060, text: "Duplicate column name 'x'" }) ?? '', /1060.*half applied/);
  assert.equal(meaningOf({ errno: 1142, text: 'denied' }), 'error 1142 of the server: denied');
  assert.equal(meaningOf(undefined), undefined);
});
