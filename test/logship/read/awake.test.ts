/** Files that are not written to keep what a restart needs, and no more. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Mark } from '../../../src/logship/position/progress.ts';
import { isProved, LEAD_BYTES } from '../../../src/logship/position/trail.ts';
import { Rested } from '../../../src/logship/read/content.ts';
import { Contents } from '../../../src/logship/read/contents.ts';
import { Follower } from '../../../src/logship/read/follow.ts';
import type { TakeLine } from '../../../src/logship/read/take-line.ts';
import { newCounts } from '../../../src/logship/report/counts.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { inMemory, privateDirectory } from '../../../tools/directory.ts';
import { log } from './reading.ts';

async function following() {
  const directory = await privateDirectory('awake', inMemory());
  const origin = { hostname: 'h', pod: undefined, namespace: undefined, node: undefined };
  const { path: root } = directory;
  const contents = new Contents({ source: 's', root, origin, zone: zoneTableNamed('UTC'), now: Date.now }, []);
  let clock = 0;
  const options = { contents, counts: newCounts(), log: log(), maxLineBytes: 4096, uptime: () => clock };
  const follower = new Follower({ ...options, patterns: [join(root, '*.log')] });
  const lines: string[] = [];
  const take: TakeLine = ({ progress }, chunk, offset, next, skipping, start, end) => {
    lines.push(chunk.toString('utf8', start, end));
    progress.settle(progress.begin(offset, new Mark(next, skipping, progress.acknowledged.timeMs)));
  };
  /** As if the server did not answer. */
  const unsettled: TakeLine = ({ progress }, chunk, offset, next, skipping, start, end) => {
    lines.push(chunk.toString('utf8', start, end));
    progress.begin(offset, new Mark(next, skipping, progress.acknowledged.timeMs));
  };
  const pace = () => Promise.resolve(true);
  return {
    lines,
    contents,
    path: (name: string) => join(root, name),
    /** Reads what there is. @returns the number of calls that it took */
    async read({ ms = 1000, isStalled = false } = {}): Promise<number> {
      clock += ms;
      follower.look();
      let calls = 1;
      while (await follower.read(isStalled ? unsettled : take, { final: false, pace, isStalled })) calls++;
      return calls;
    },
    async [Symbol.asyncDispose]() {
      follower[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Reads, and lets the files rest. */
async function rested(files: number) {
  const f = await following();
  for (let nth = 0; nth < files; nth++) writeFileSync(f.path(`${nth}.log`), `line ${nth}\n`);
  const calls = await f.read();
  for (let second = 0; second < 5; second++) await f.read();
  return { ...f, calls };
}

test('of thousands of files some are read before the next ones are begun, and then all rest', async () => {
  await using f = await rested(1000);
  assert.equal(f.lines.length, 1000);
  assert.ok(f.calls >= 4, `${f.calls} calls`);
  const entries = f.contents.collect();
  assert.equal(entries.filter((entry) => entry instanceof Rested).length, 1000);
});

test('a checkpoint makes the text of one file that has grown, not of all', async () => {
  await using f = await rested(500);
  const before = new Set(f.contents.collect());
  appendFileSync(f.path('7.log'), 'more\n');
  // Of many files a poll looks at some.
  for (let poll = 0; poll < 2; poll++) await f.read();
  assert.equal(f.contents.collect().filter((entry) => !before.has(entry)).length, 1);
  assert.equal(f.lines.at(-1), 'more');
});

test('a file that rests goes on after a rotation, a copy and a truncation: every line once', async () => {
  await using f = await rested(3);
  for (const name of ['0.log', '1.log', '2.log']) appendFileSync(f.path(name), `rest of ${name}\n`);
  renameSync(f.path('0.log'), f.path('0.log.1'));
  copyFileSync(f.path('1.log'), f.path('1.log.1'));
  truncateSync(f.path('1.log'));
  for (const name of ['0.log', '1.log']) appendFileSync(f.path(name), `next of ${name}\n`);
  for (let second = 0; second < 3; second++) await f.read();
  const rests = ['rest of 0.log', 'rest of 1.log', 'rest of 2.log'];
  const expected = ['line 0', 'line 1', 'line 2', ...rests, 'next of 0.log', 'next of 1.log'];
  assert.deepEqual(f.lines.toSorted(), expected.toSorted());
});

test('while nothing is acknowledged some of thousands of files are begun, and the others later', async () => {
  await using f = await following();
  for (let nth = 0; nth < 2000; nth++) writeFileSync(f.path(`${nth}.log`), `line ${nth}\n`);
  for (let second = 0; second < 5; second++) await f.read({ isStalled: true });
  assert.ok(f.lines.length >= 512 && f.lines.length < 1000, `${f.lines.length}`);
  await f.read();
  assert.equal(f.lines.length, 2000);
});

test('a file that is not begun while nothing is acknowledged is found in its copy before that is removed', async () => {
  await using f = await following();
  for (let nth = 0; nth < 1000; nth++) writeFileSync(f.path(`${nth}.log`), `line ${nth}\n`);
  for (let second = 0; second < 5; second++) await f.read({ isStalled: true });
  const name = Array.from({ length: 1000 }, (_, nth) => nth).find((nth) => !f.lines.includes(`line ${nth}`));
  assert.ok(name !== undefined);
  appendFileSync(f.path(`${name}.log`), 'more\n');
  copyFileSync(f.path(`${name}.log`), f.path(`${name}.log.1`));
  truncateSync(f.path(`${name}.log`));
  await f.read({ isStalled: true });
  rmSync(f.path(`${name}.log.1`));
  for (let second = 0; second < 2; second++) await f.read();
  assert.ok(f.lines.includes(`line ${name}`));
  assert.equal(f.lines.length, 1001);
});

test('what proves the position of a file that has rested is all that is before it', async () => {
  await using f = await following();
  const path = f.path('long.log');
  writeFileSync(path, Array.from({ length: 500 }, (_, nth) => `line ${nth} of a long file\n`).join(''));
  for (let second = 0; second < 5; second++) await f.read();
  assert.ok(f.contents.collect().every((entry) => entry instanceof Rested));
  appendFileSync(path, 'more\n');
  await f.read();
  const [entry] = f.contents.collect();
  assert.ok(entry instanceof Rested);
  const all = readFileSync(path);
  const file = {
    stat: () => ({ size: all.length }),
    before: (at: number) => all.subarray(Math.max(0, at - LEAD_BYTES), at),
  };
  const proof = entry.saved.trail?.points.at(-1)?.proof;
  assert.equal(proof?.offset, all.length);
  assert.ok(isProved(file, proof));
});

test('a file that was replaced while it rested is read from its beginning', async () => {
  await using f = await following();
  const path = f.path('long.log');
  const text = (word: string) => Array.from({ length: 500 }, (_, nth) => `${word} ${nth} of a long file\n`).join('');
  writeFileSync(path, text('line'));
  for (let second = 0; second < 5; second++) await f.read();
  // The same beginning and length up to the position; what is before it differs.
  writeFileSync(path, text('line').slice(0, 8000) + text('LINE').slice(8000) + 'more\n');
  await f.read();
  await f.read();
  assert.equal(f.lines.at(-1), 'more');
  assert.ok(f.lines.includes('LINE 499 of a long file'), 'lines that were changed are read again');
});
