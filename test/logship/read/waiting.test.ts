/** Files that wait while others are read: what is copied and truncated meanwhile is found before it is compressed. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Tail } from '../../../src/logship/read/tail.ts';
import { reading, type Reading } from './reading.ts';

const HELD = 'held.log';
const OTHER = 'other.log';
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`);
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

function append(r: Reading, from: number, to: number): void {
  appendFileSync(r.path(HELD), text(numbered(from, to)));
}

function copytruncate(r: Reading): void {
  copyFileSync(r.path(HELD), r.path(`${HELD}.1`));
  truncateSync(r.path(HELD));
}

function compress(r: Reading): void {
  writeFileSync(r.path(`${HELD}.1.gz`), gzipSync(readFileSync(r.path(`${HELD}.1`))));
  rmSync(r.path(`${HELD}.1`));
}

const linesOfHeld = (r: Reading) => r.lines.filter((line) => line.startsWith('line'));

test('a file that is held while others are read is found in its copies, again and again', async () => {
  await using r = await reading();
  append(r, 0, 10);
  appendFileSync(r.path(OTHER), 'other\n');
  await r.poll();
  r.holds = (path) => path === r.path(HELD);
  for (let n = 1; n < 5; n++) {
    append(r, n * 10, n * 10 + 10);
    appendFileSync(r.path(OTHER), 'other\n');
    await r.poll();
    copytruncate(r);
    await r.poll();
    compress(r);
  }
  assert.deepEqual(linesOfHeld(r), numbered(0, 10));
  r.holds = () => false;
  await r.poll();
  assert.deepEqual(linesOfHeld(r), numbered(0, 50));
  assert.equal(new Set(r.ids.filter((_, n) => r.lines[n] !== 'other')).size, 50);
  assert.equal(r.counts.lostBytes, 0);
});

test('files that are held are looked at once a second, however often others are read', async (t) => {
  await using r = await reading();
  append(r, 0, 10);
  appendFileSync(r.path(OTHER), 'other\n');
  await r.poll();
  r.holds = (path) => path === r.path(HELD);
  append(r, 10, 20);
  await r.poll();
  const checks = t.mock.method(Tail.prototype, 'check');
  for (let n = 0; n < 40; n++) {
    appendFileSync(r.path(OTHER), 'other\n');
    await r.poll(100);
  }
  assert.equal(checks.mock.callCount(), 4);
});

test('a file whose turn comes late in a round is found in its copy', async () => {
  await using r = await reading();
  // Files are read in the order of their names, and this one is the last.
  const big = text(Array.from({ length: 4000 }, (_, n) => `big ${n} `.padEnd(300, '.')));
  for (const name of ['a.log', 'b.log']) appendFileSync(r.path(name), 'big\n');
  append(r, 0, 10);
  await r.poll();
  for (const name of ['a.log', 'b.log']) appendFileSync(r.path(name), big);
  append(r, 10, 20);
  const events = [() => copytruncate(r), () => compress(r)];
  r.pace = () => {
    r.pass(1000);
    events.shift()?.();
    return Promise.resolve(true);
  };
  await r.poll();
  assert.deepEqual(linesOfHeld(r), numbered(0, 20));
  assert.equal(r.counts.lostBytes, 0);
});
