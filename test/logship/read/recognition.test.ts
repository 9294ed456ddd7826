/** How generations are recognized that nothing reads any more, and what is kept for that. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Generation } from '../../../src/logship/position/generation.ts';
import type { HeldFile } from '../../../src/logship/read/held-file.ts';
import { Recognition, RECOGNIZED, RECOGNIZED_OF_ALL } from '../../../src/logship/read/recognition.ts';
import { reading, type Reading } from './reading.ts';

const FILE = 'a.log';
/** Longer than what names a generation. */
const BANNER = `${'='.repeat(300)}\n`;

const none = () => {
  throw new Error('nothing is read');
};

/** A generation of which the banner and a line were read. */
function add(recognition: Recognition, nth: number, path = '/a'): Buffer {
  const all = Buffer.from(`${BANNER}line ${nth}\n`);
  const identity = { path, dev: 1, ino: nth, firstSeenMs: 0, rivals: [], digestFrom: 0 };
  const generation = new Generation('s', { ...identity, head: all.subarray(0, 256) });
  recognition.add(generation, nth, { position: all.length, lead: all });
  return all;
}

const fileOf = (all: Buffer) =>
  ({ stat: () => ({ size: all.length }), before: (at: number) => all.subarray(0, at) }) as unknown as HeldFile;

test('generations are told apart by what was read last of them', () => {
  const recognition = new Recognition();
  const files = Array.from({ length: 5 }, (_, nth) => fileOf(add(recognition, nth)));
  const all = recognition.of('/a', [], none);
  assert.ok(all.every((each) => each.matches(Buffer.from(BANNER)) && !each.matches(Buffer.from('='))));
  for (const file of files) assert.equal(all.filter((each) => each.isIn(file)).length, 1);
  assert.equal(all.filter((each) => each.isIn(fileOf(Buffer.from(BANNER)))).length, 0);
});

test('the oldest generations go, first of a path and then of all, and those that start alike count for them', () => {
  const recognition = new Recognition();
  for (let nth = 0; nth < 100; nth++) add(recognition, nth);
  const ofPath = recognition.of('/a', [], none);
  assert.equal(ofPath.length, RECOGNIZED);
  assert.equal(
    ofPath.reduce((sum, { count }) => sum + count, 0),
    100,
  );
  const paths = Math.ceil(RECOGNIZED_OF_ALL / RECOGNIZED);
  for (let nth = 0; nth < RECOGNIZED_OF_ALL; nth++) add(recognition, 100 + nth, `/b${nth % paths}`);
  assert.equal(recognition.of('/a', [], none).length, 0);
  const kept = Array.from({ length: paths }, (_, nth) => recognition.of(`/b${nth}`, [], none).length);
  assert.equal(
    kept.reduce((sum, each) => sum + each),
    RECOGNIZED_OF_ALL,
  );
});

function copytruncate(r: Reading): void {
  copyFileSync(r.path(FILE), r.path(`${FILE}.1`));
  truncateSync(r.path(FILE));
}

test('a generation that was rotated unseen is new, however many before it have started with the same lines', async () => {
  await using r = await reading();
  const write = (n: number) => appendFileSync(r.path(FILE), `${BANNER}line ${n}\n`);
  const read = RECOGNIZED + 8;
  for (let n = 0; n < read; n++) {
    write(n);
    await r.poll();
    copytruncate(r);
    await r.poll();
    rmSync(r.path(`${FILE}.1`));
  }
  write(read);
  copytruncate(r);
  write(read + 1);
  await r.poll();
  await r.poll();
  assert.equal(r.lines.length, 2 * (read + 2));
  assert.equal(new Set(r.ids).size, r.ids.length);
});

test('a rotated file that is written again has the IDs of before, also if others start alike', async () => {
  await using r = await reading();
  for (let n = 0; n < 3; n++) {
    writeFileSync(r.path(FILE), `${BANNER}line ${n}\n`);
    await r.poll();
    copyFileSync(r.path(FILE), r.path(`${FILE}.${3 - n}`));
    truncateSync(r.path(FILE));
    await r.poll();
  }
  const before = new Set(r.ids);
  const soon = new Date(Date.now() + 60_000);
  for (const nth of [1, 2, 3]) utimesSync(r.path(`${FILE}.${nth}`), soon, soon);
  writeFileSync(r.path(FILE), 'another\n');
  await r.poll();
  truncateSync(r.path(FILE));
  await r.poll();
  assert.equal(r.lines.length, 6 + 1 + 6, 'all were read again');
  assert.equal(new Set(r.ids).size, before.size + 1);
});

test('none of the bytes of a generation are kept that nothing reads any more', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    for (let times = 0; times < 2; times++) collect();
    return process.memoryUsage().arrayBuffers;
  };
  await using r = await reading();
  const [files, rotations] = [32, 24];
  const rotate = async (n: number) => {
    for (let file = 0; file < files; file++)
      writeFileSync(r.path(`${file}.log`), `${n} of ${file}\n${'x'.repeat(2000)}\n`);
    await r.poll();
    for (let file = 0; file < files; file++) truncateSync(r.path(`${file}.log`));
    await r.poll();
    // What was acknowledged goes with the checkpoint.
    await r.save();
    // What the test itself would keep.
    for (const list of [r.lines, r.ids, r.said]) list.length = 0;
  };
  for (let n = 0; n < rotations; n++) await rotate(n);
  const before = used();
  for (let n = 0; n < rotations; n++) await rotate(rotations + n);
  const each = (used() - before) / (files * rotations);
  assert.ok(each < 256, `${each} bytes`);
});
