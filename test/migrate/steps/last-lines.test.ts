import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaningOf } from '../../../src/migrate/steps/half-applied.ts';
import { LastLines } from '../../../src/migrate/steps/last-lines.ts';

test('the last twenty lines are kept, in order', () => {
  const lines = new LastLines();
  for (let i = 1; i <= 50; i++) lines.add(`line ${i}`);
  const kept = String(lines).split('\n');
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [20, 'line 31', 'line 50']);
});

test('long lines are truncated at their start, and not within a character', () => {
  const lines = new LastLines();
  lines.add(`${'x'.repeat(10)}${'😀'.repeat(2100)}y`);
  const kept = String(lines);
  assert.ok(kept.length <= 4000);
  assert.match(kept, /^😀.*y$/u);
});

test("the server's first error is kept, however much follows", () => {
  const lines = new LastLines();
  lines.add(`pymysql.err.OperationalError: (1050, "Table 'role' already exists")`);
  lines.add(`pymysql.err.OperationalError: (1060, "Duplicate column name 'x'")`);
  for (let i = 1; i <= 30; i++) lines.add(`CREATE TABLE line ${i}`);
  assert.deepEqual(lines.serverError, { errno: 1050, text: "Table 'role' already exists" });
  assert.match(String(lines), /^pymysql.*1050.*\n\.\.\.\nCREATE TABLE line 11\n/);
});

test('the error is not shown twice if it is among the last lines', () => {
  const lines = new LastLines();
  lines.add('before');
  lines.add("(1044, 'Access denied')");
  assert.equal(String(lines), "before\n(1044, 'Access denied')");
});

test('the revision being applied is kept, and the server is quoted without escapes', () => {
  const lines = new LastLines();
  lines.add('INFO alembic.runtime.migration [-] Running upgrade  -> 27e647c0fad4, Initial version');
  lines.add('INFO alembic.runtime.migration [-] Running upgrade 27e647c0fad4 -> 29e87d24a316, Add a table.');
  lines.add(String.raw`(1005, 'Can\'t create table (errno: 135 "No more room in record file")')`);
  lines.add('INFO alembic.runtime.migration [-] Running upgrade 29e87d24a316 -> 0, of another try');
  assert.deepEqual(lines.revision, { id: '29e87d24a316', title: 'Add a table.' });
  assert.equal(lines.serverError?.text, `Can't create table (errno: 135 "No more room in record file")`);
  const meaning = meaningOf(lines.serverError, lines.revision) ?? '';
  assert.match(meaning, /disk .* is full: make room there.*; it was applying revision 29e87d24a316 \(Add a table\.\)/);
});

test('a foreign key between different collations is explained', () => {
  const lines = new LastLines();
  lines.add('INFO alembic.runtime.migration [-] Running upgrade 0d8c8f6d54a4 -> cb20f743ca7b, Add a table.');
  lines.add(
    `(1005, 'Can\\'t create table \`manila\`.\`x\` (errno: 150 "Foreign key constraint is incorrectly formed")')`,
  );
  assert.match(
    meaningOf(lines.serverError, lines.revision) ?? '',
    /^error 1005 .*; the columns .* SET GLOBAL character_set_collations = ''.*; it was applying revision cb20f743ca7b/,
  );
});

test('an unterminated error is ignored', () => {
  const errnoIn = (line: string) => {
    const lines = new LastLines();
    lines.add(line);
    return lines.serverError?.errno;
  };
  assert.equal(errnoIn(`(1050, '${'x'.repeat(513)}')`), undefined);
  assert.equal(errnoIn(`(1050, '${'x'.repeat(512)}')`), 1050);
});

test('a partially applied schema is reported with existing and missing objects, and the fix', () => {
  const error = { errno: 1050, text: "Table 'role' already exists" };
  const tables = ['a', 'role'];
  const blank = meaningOf(error, { id: 'abc', title: '' }, [{ database: 'keystone', tables, versions: [] }]) ?? '';
  assert.match(blank, /In keystone: 2 tables \(a, role\), no version is recorded\./);
  assert.match(
    blank,
    /Missing: everything that revision abc had not created yet.*restore the backup.*tool; if .* drop the database/,
  );
  const used = meaningOf(error, undefined, [{ database: 'keystone', tables, versions: ['x1'] }]) ?? '';
  assert.match(used, /version x1\. Nothing was undone/);
  assert.doesNotMatch(used, /drop the database/);
  assert.match(meaningOf(error, undefined, 'it is gone') ?? '', /cannot be read: it is gone/);
});

test('only errors about existing objects count as a partially applied schema', () => {
  assert.match(meaningOf({ errno: 1060, text: "Duplicate column name 'x'" }) ?? '', /1060.*partially applied/);
  assert.equal(meaningOf({ errno: 1142, text: 'denied' }), 'error 1142 of the server: denied');
  assert.equal(meaningOf(undefined), undefined);
});
