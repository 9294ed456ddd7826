import assert from 'node:assert/strict';
import { test } from 'node:test';
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
