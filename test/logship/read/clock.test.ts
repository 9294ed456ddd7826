/** The clock is set back while lines wait: the times of files tell nothing then, and their bytes do. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { reading, type Reading } from './reading.ts';

const FILE = 'a.log';
const HOUR_MS = 3_600_000;
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `line ${from + n} `.padEnd(100, '.'));
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

function append(r: Reading, from: number, to: number, name = FILE): void {
  appendFileSync(r.path(name), text(numbered(from, to)));
}

/** As if the file had been written that much later. */
function later(r: Reading, ms: number, name = FILE): void {
  const time = new Date(Date.now() + ms);
  utimesSync(r.path(name), time, time);
}

function copytruncate(r: Reading, kept = 1): void {
  for (let n = kept; n > 1; n--) renameSync(r.path(`${FILE}.${n - 1}`), r.path(`${FILE}.${n}`));
  copyFileSync(r.path(FILE), r.path(`${FILE}.1`));
  truncateSync(r.path(FILE));
}

const ways: Readonly<Record<string, (r: Reading, readMs: number) => Promise<void>>> = {
  'is followed': () => Promise.resolve(),
  async 'has rested'(r) {
    for (let second = 0; second < 5; second++) await r.poll();
  },
  'is resumed after a restart': (r) => r.restart(),
  async 'is resumed after a kill, from before the last lines that were read,'(r, readMs) {
    await r.save();
    append(r, 100, 110);
    later(r, readMs);
    await r.poll();
    r.lines.length -= 10;
    r.ids.length -= 10;
    await r.kill();
  },
};

for (const [what, then] of Object.entries(ways))
  for (const [when, readMs, writtenMs] of [
    ['an hour', HOUR_MS, 0],
    ['a time that has passed again', 0, -HOUR_MS],
  ] as const)
    test(`clock set back by ${when}: the rest of a file that ${what} is read from its copy, once`, async () => {
      await using r = await reading();
      append(r, 0, 100);
      later(r, readMs);
      await r.poll();
      await then(r, readMs);
      append(r, what.includes('kill') ? 110 : 100, 200);
      copytruncate(r);
      append(r, 200, 210);
      for (const name of [FILE, `${FILE}.1`]) later(r, writtenMs, name);
      await r.poll();
      await r.poll();
      assert.deepEqual(r.lines, numbered(0, 210));
      assert.equal(new Set(r.ids).size, 210);
      assert.equal(r.counts.lostBytes, 0);
    });

for (const [what, then] of Object.entries(ways).slice(0, 3))
  for (const how of ['copytruncate', 'renames'] as const)
    test(`clock set back by an hour: whole generations of a file that ${what} are read after ${how}`, async () => {
      await using r = await reading();
      append(r, 0, 100);
      later(r, HOUR_MS);
      await r.poll();
      await then(r, HOUR_MS);
      append(r, 100, 110);
      for (let n = 1; n <= 3; n++) {
        if (how === 'copytruncate') copytruncate(r, n);
        else {
          for (let old = n; old > 1; old--) renameSync(r.path(`${FILE}.${old - 1}`), r.path(`${FILE}.${old}`));
          renameSync(r.path(FILE), r.path(`${FILE}.1`));
        }
        append(r, 100 + n * 10, 110 + n * 10);
      }
      await r.poll();
      await r.poll();
      assert.deepEqual(r.lines.toSorted(), numbered(0, 140).toSorted());
      assert.equal(new Set(r.ids).size, 140);
    });

test('clock set back by an hour: the rest of a short file has the IDs that it would have had at its path', async () => {
  await using r = await reading();
  append(r, 0, 3);
  later(r, HOUR_MS);
  await r.poll();
  append(r, 3, 10);
  copytruncate(r);
  append(r, 10, 12);
  await r.poll();
  await r.poll();
  const ids = new Map(r.lines.map((line, n) => [line, r.ids[n]]));
  assert.deepEqual([...ids.keys()].toSorted(), numbered(0, 12).toSorted());
  assert.equal(new Set(r.ids).size, 12, 'a line that is read again has its ID of before');
});

test('clock set back by an hour: a file that was cut and copied while we were stopped is read from where it is unchanged', async () => {
  await using r = await reading();
  append(r, 0, 100);
  await r.poll();
  append(r, 100, 200);
  later(r, HOUR_MS);
  await r.poll();
  await r.restart();
  truncateSync(r.path(FILE), text(numbered(0, 150)).length);
  append(r, 300, 310);
  copytruncate(r);
  append(r, 310, 320);
  await r.poll();
  assert.deepEqual(new Set(r.lines), new Set([...numbered(0, 200), ...numbered(300, 320)]));
  assert.equal(new Set(r.ids).size, 220);
});

for (const [what, rotate] of [
  ['renamed', (r: Reading) => renameSync(r.path(FILE), r.path(`${FILE}.1`))],
  ['removed', (r: Reading) => rmSync(r.path(FILE))],
] as const)
  test(`the clock of a file server is ahead: older files next to one that is ${what} are not read`, async () => {
    await using r = await reading();
    writeFileSync(r.path(`${FILE}.2`), 'older\n');
    later(r, -HOUR_MS, `${FILE}.2`);
    append(r, 0, 10);
    later(r, HOUR_MS);
    await r.poll();
    rotate(r);
    await r.poll();
    append(r, 10, 20);
    later(r, HOUR_MS + 1);
    await r.poll();
    assert.deepEqual(r.lines, numbered(0, 20));
  });

test('an older file that starts with the same few lines is not taken for a copy', async () => {
  await using r = await reading();
  append(r, 0, 3, `${FILE}.1`);
  appendFileSync(r.path(`${FILE}.1`), 'older\n');
  later(r, -HOUR_MS, `${FILE}.1`);
  append(r, 0, 3);
  await r.poll();
  truncateSync(r.path(FILE));
  append(r, 3, 5);
  await r.poll();
  assert.deepEqual(r.lines, numbered(0, 5));
});
