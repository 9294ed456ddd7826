import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { holeIn } from '../../../src/logship/read/bytes.ts';
import { findPunch } from '../../../src/logship/reclaim/punch.ts';
import { reading } from './reading.ts';

const KB = 1024;
const START = 64 * KB;

/** This number of lines, each numbered and shorter than a block, with their offsets. */
function numbered(count: number): { text: string; lines: { line: string; at: number }[] } {
  const lines: { line: string; at: number }[] = [];
  let at = 0;
  for (let n = 0; n < count; n++) {
    const line = `${n} ${'x'.repeat(n % 300)}`;
    lines.push({ line, at });
    at += line.length + 1;
  }
  return { text: `${lines.map(({ line }) => line).join('\n')}\n`, lines };
}

/** The record of a hole in every file. */
const recorded = (start: number, end: number) => ({ of: () => ({ start, end }), isComplete: true });
const NO_RECORD = { of: () => undefined, isComplete: false };

/** Writes zeros to a range: reading a punched hole gives the same. */
function zero(file: string, start: number, end: number): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(end - start), 0, end - start, start);
  closeSync(fd);
}

function punch(file: string, start: number, end: number): void {
  execFileSync('fallocate', ['--punch-hole', '--keep-size', '-o', String(start), '-l', String(end - start), file]);
}

for (const [what, end, make, holes] of [
  ['of a chunk, in the record', 100 * KB, zero, recorded(START, 100 * KB)],
  ['of many chunks, in the record', 1500 * KB, zero, recorded(START, 1500 * KB)],
  ['without its record, because the state directory is new', 1500 * KB, punch, NO_RECORD],
] as const) {
  const skip = make === punch && 'reason' in findPunch() ? 'there is no fallocate' : false;
  test(`a hole ${what}, is skipped with its partial lines`, { skip }, async () => {
    await using r = await reading({ holes });
    const { text, lines } = numbered(12_000);
    const file = r.path('a.log');
    await writeFile(file, text);
    await r.poll();
    const ids = [...r.ids];
    make(file, START, end);
    await r.restart({ checkpoint: false });
    r.lines.length = r.ids.length = 0;
    await r.poll();
    const isKept = lines.map(({ line, at }) => at + line.length < START || at > end);
    assert.deepEqual(
      r.lines,
      lines.flatMap(({ line }, n) => (isKept[n] ? [line] : [])),
    );
    assert.deepEqual(
      r.ids,
      ids.filter((_, n) => isKept[n]),
    );
    assert.match(r.said.join('\n'), /the reclaimed part after byte \d+ is not read again/);
    assert.equal(r.counts.nulBytes, 0);
    assert.ok(r.counts.skippedBytes >= end - START, `${r.counts.skippedBytes} bytes`);
  });
}

test('a hole of a writer that starts where ours do is none without a record if its disk is in use', async () => {
  await using r = await reading({ holes: NO_RECORD });
  await writeFile(r.path('a.log'), `${'y'.repeat(START - 1)}\n${'\0'.repeat(1200 * KB)}whole\n`);
  await r.poll();
  assert.deepEqual(r.lines, ['y'.repeat(START - 1), 'whole']);
  assert.equal(r.counts.nulBytes, 1200 * KB);
});

test('NULs outside of the recorded hole end a line', async () => {
  await using r = await reading({ holes: recorded(START, 100 * KB) });
  const line = 'y'.repeat(KB - 1);
  const after = 140 * KB;
  await writeFile(r.path('a.log'), `${`${line}\n`.repeat(after / KB)}torn${'\0'.repeat(8 * KB)}next\n`);
  zero(r.path('a.log'), START, 100 * KB);
  await r.poll();
  assert.deepEqual(r.lines.slice(-2), ['torn', 'next']);
  assert.equal(r.lines.length, 64 + 39 + 2);
  assert.equal(r.counts.nulBytes, 8 * KB);
});

test('a line longer than a chunk before a recorded hole is skipped with it', async () => {
  await using r = await reading({ holes: recorded(400 * KB, 1600 * KB) });
  await writeFile(r.path('a.log'), `first\n${'z'.repeat(400 * KB - 6)}${'\0'.repeat(1200 * KB)}torn\nlast\n`);
  await r.poll();
  assert.deepEqual(r.lines, ['first', 'last']);
});

test('the hole left by a writer without O_APPEND loses no line', async () => {
  await using r = await reading();
  await writeFile(r.path('a.log'), `${'\0'.repeat(300 * KB + 5)}one\ntwo\n`);
  await writeFile(r.path('b.log'), `short\n${'\0'.repeat(300 * KB)}one\ntwo\n`);
  await r.poll();
  assert.deepEqual(r.lines, ['short', 'one', 'two', 'one', 'two']);
  assert.equal(r.counts.nulBytes, 600 * KB + 5);
});

/** Around blocks, the part of a file that is never reclaimed, chunks of the reader, and the head of a generation. */
const BEFORE = [
  1,
  100,
  255,
  256,
  257,
  4096,
  8192,
  8193,
  START - 1,
  START,
  START + 4096,
  70_000,
  256 * KB,
  256 * KB + 1,
];
const NULS = [1, 2, 4095, 4096, 4097, START, 256 * KB, 1024 * KB];

for (const before of BEFORE)
  test(`a torn block after ${before} bytes ends the line before it, and hides none after it`, async () => {
    await using r = await reading({ maxLineBytes: 512 * KB });
    for (const nuls of NULS) {
      for (const [kind, text] of [
        ['one line', 'l'.repeat(before)],
        ['lines', `${'l'.repeat(99)}\n`.repeat(Math.ceil(before / 100)).slice(0, before)],
      ] as const) {
        const path = r.path(`${kind}-${nuls}.log`);
        await writeFile(path, `${text}${'\0'.repeat(nuls)}after\nlast\n`);
        const counted = r.counts.nulBytes;
        r.lines.length = 0;
        await r.poll();
        const expected = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
        assert.deepEqual(r.lines.map(shortened), [...expected, 'after', 'last'].map(shortened), `${kind}, ${nuls}`);
        assert.equal(r.counts.nulBytes - counted, nuls);
      }
    }
    assert.equal(new Set(r.ids).size, r.ids.length);
  });

test('NULs within a line end it', async () => {
  await using r = await reading();
  await writeFile(r.path('a.log'), 'a\0b\0\0c\nd\n');
  await r.poll();
  assert.deepEqual(r.lines, ['a', 'b', 'c', 'd']);
  assert.equal(r.counts.nulBytes, 3);
  assert.deepEqual(
    r.said.filter((text) => text.includes('has NULs')),
    [`${r.path('a.log')} has NULs at byte 1, as after a power failure: they end a line, and are counted`],
  );
});

test('NULs end the rest of a line that is skipped, because it is too long', async () => {
  await using r = await reading({ maxLineBytes: KB });
  await writeFile(r.path('a.log'), `${'x'.repeat(700 * KB)}\0after\nlast\n`);
  await r.poll();
  assert.deepEqual(r.lines, ['x'.repeat(KB), 'after', 'last']);
  assert.equal(r.counts.skippedBytes, 699 * KB);
});

test('NULs at the end of a file are followed by whole lines later', async () => {
  await using r = await reading();
  const file = r.path('a.log');
  await writeFile(file, `${'y'.repeat(START - 1)}\ntorn`);
  truncateSync(file, 2 * START);
  await r.poll();
  await r.restart();
  await appendFile(file, 'new\n');
  await r.poll();
  assert.deepEqual(r.lines.slice(1), ['torn', 'new']);
});

test('a file of nothing but NULs and single bytes is read in linear time', async () => {
  await using r = await reading();
  await writeFile(r.path('a.log'), 'a\0'.repeat(500 * KB));
  await r.poll();
  assert.equal(r.lines.length, 500 * KB);
});

test('a block is in a hole only if it is whole, aligned, and in the range', () => {
  const chunk = (nuls: number, before = 10) => Buffer.from(`${'a'.repeat(before)}${'\0'.repeat(nuls)}b`);
  const range = { start: START, end: 2 * START };
  assert.equal(holeIn(chunk(4096), START - 10, range), 10);
  assert.equal(holeIn(chunk(4095), START - 10, range), -1);
  assert.equal(holeIn(chunk(8192, 11), START - 10, range), 4106);
  assert.equal(holeIn(chunk(8192), 10, range), -1);
  assert.equal(holeIn(Buffer.alloc(4096), START, range), 0);
  assert.equal(holeIn(Buffer.alloc(4096), 2 * START, range), -1);
});

function shortened(line: string): string {
  return line.length > 50 ? `${line.slice(0, 20)} ${line.length}` : line;
}
