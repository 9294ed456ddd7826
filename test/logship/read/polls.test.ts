import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Polls } from '../../../src/logship/read/polls.ts';

const files = (count: number) =>
  new Map<string, object>(Array.from({ length: count }, (_, i) => [`/logs/${i}.log`, { i }]));
const paths = (due: readonly (readonly [string, object])[]) => due.map(([path]) => path);

test('all files are due while the kernel reports nothing, and once after it begins', () => {
  const [polls, many] = [new Polls<object>(), files(1000)];
  assert.equal(polls.due(many, false).length, 1000);
  assert.equal(polls.due(many, false).length, 1000);
  assert.equal(polls.due(many, true).length, 1000);
  assert.equal(polls.due(many, true).length, 250);
});

test('few files are due each time', () => {
  const [polls, few] = [new Polls<object>(), files(250)];
  for (let i = 0; i < 3; i++) assert.equal(polls.due(few, true).length, 250);
});

test('a reported file is due at once and once, the others in turn', () => {
  const [polls, many] = [new Polls<object>(), files(1000)];
  polls.due(many, true);
  polls.changed('/logs/999.log');
  polls.changed('/logs/none.log');
  const first = paths(polls.due(many, true));
  assert.equal(first.length, 251);
  assert.equal(first[0], '/logs/999.log');
  const all = new Set(first.slice(1));
  for (let i = 0; i < 3; i++) for (const path of paths(polls.due(many, true))) all.add(path);
  assert.equal(all.size, 1000);
});

test('all files are due after events were lost', () => {
  const [polls, many] = [new Polls<object>(), files(1000)];
  polls.due(many, true);
  polls.changed();
  assert.equal(polls.due(many, true).length, 1000);
});

test('files that are added or removed meanwhile do not stop the turn', () => {
  const [polls, many] = [new Polls<object>(), files(600)];
  polls.due(many, true);
  polls.due(many, true);
  for (let i = 250; i < 320; i++) many.delete(`/logs/${i}.log`);
  many.set('/logs/new.log', { i: -1 });
  const seen = new Set<string>();
  for (let i = 0; i < 4; i++) for (const path of paths(polls.due(many, true))) seen.add(path);
  assert.deepEqual(
    [...many.keys()].filter((path) => !seen.has(path)),
    [],
  );
});
