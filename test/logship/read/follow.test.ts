import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { test } from 'node:test';
import { reading } from './reading.ts';

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}`);
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

test('appended lines are read once', async () => {
  await using r = await reading();
  for (let n = 0; n < 5; n++) {
    appendFileSync(r.path('a.log'), text(numbered(n * 10, n * 10 + 10)));
    await r.poll();
  }
  assert.deepEqual(r.lines, numbered(0, 50));
});

test('a line is read once its newline is written', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'whole\nhal');
  await r.poll();
  assert.deepEqual(r.lines, ['whole']);
  appendFileSync(r.path('a.log'), 'f\n');
  await r.poll();
  assert.deepEqual(r.lines, ['whole', 'half']);
});

test('on shutdown an unterminated line is read, and text that follows is a separate line', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'whole\nhal');
  await r.poll(0, true);
  await r.restart();
  appendFileSync(r.path('a.log'), 'f\nnext\n');
  await r.poll();
  assert.deepEqual(r.lines, ['whole', 'hal', 'f', 'next']);
});

test('a first line that was unterminated on shutdown is recognized later', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'hal');
  await r.poll(0, true);
  await r.restart();
  appendFileSync(r.path('a.log'), 'f\n');
  await r.poll();
  assert.deepEqual(r.lines, ['hal', 'f']);
});

test('a character split across two writes stays whole', async () => {
  await using r = await reading();
  const bytes = Buffer.from('grüße €\n');
  for (const byte of bytes) {
    appendFileSync(r.path('a.log'), Buffer.from([byte]));
    await r.poll();
  }
  assert.deepEqual(r.lines, ['grüße €']);
});

test('characters across chunk boundaries stay whole', async () => {
  await using r = await reading();
  const lines = Array.from({ length: 3000 }, (_, i) => `${i} ${'€'.repeat(60 + (i % 7))}`);
  writeFileSync(r.path('a.log'), text(lines));
  await r.poll();
  assert.deepEqual(r.lines, lines);
});

test('empty lines are lines', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), '\n\na\n\n');
  await r.poll();
  assert.deepEqual(r.lines, ['', '', 'a', '']);
});

test('a file that appears later is found within a second', async () => {
  await using r = await reading();
  await r.poll();
  writeFileSync(r.path('b.log'), 'late\n');
  await r.poll(1000);
  assert.deepEqual(r.lines, ['late']);
});

test('five renames while writing lose nothing', async () => {
  await using r = await reading();
  for (let n = 0; n < 5; n++) {
    appendFileSync(r.path('a.log'), text(numbered(n * 20, n * 20 + 10)));
    await r.poll(250);
    appendFileSync(r.path('a.log'), text(numbered(n * 20 + 10, n * 20 + 20)));
    renameSync(r.path('a.log'), r.path(`a.log.${n}`));
  }
  writeFileSync(r.path('a.log'), text(numbered(100, 110)));
  await r.poll(1000);
  assert.deepEqual(r.lines, numbered(0, 110));
});

test('a writer that keeps writing to the renamed file is followed', async () => {
  await using r = await reading();
  const old = openSync(r.path('a.log'), 'a');
  writeSync(old, 'one\n');
  await r.poll();
  renameSync(r.path('a.log'), r.path('a.log.1'));
  writeFileSync(r.path('a.log'), 'new\n');
  await r.poll(250);
  writeSync(old, 'two\n');
  closeSync(old);
  await r.poll(4000);
  assert.deepEqual(r.lines, ['one', 'new', 'two']);
});

test('the unterminated last line of a renamed file is read when its writer has closed it', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'one\ntwo');
  await r.poll();
  renameSync(r.path('a.log'), r.path('a.log.1'));
  await r.poll(1000);
  assert.deepEqual(r.lines, ['one']);
  await r.poll(6000);
  assert.deepEqual(r.lines, ['one', 'two']);
});

test('content written before a removal is read', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll();
  appendFileSync(r.path('a.log'), 'two\n');
  rmSync(r.path('a.log'));
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two']);
});

test('a file removed and re-created is read from its beginning', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll();
  rmSync(r.path('a.log'));
  writeFileSync(r.path('a.log'), 'two\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two']);
});

test('a truncated file is read from its beginning', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), text(numbered(0, 10)));
  await r.poll();
  truncateSync(r.path('a.log'));
  await r.poll();
  appendFileSync(r.path('a.log'), 'after\n');
  await r.poll();
  assert.deepEqual(r.lines, [...numbered(0, 10), 'after']);
});

test('a file truncated and regrown past its old size between two polls is noticed by its head', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), text(numbered(0, 10)));
  await r.poll();
  copyFileSync(r.path('a.log'), r.path('a.log.1'));
  truncateSync(r.path('a.log'));
  appendFileSync(r.path('a.log'), text(numbered(100, 300)));
  await r.poll();
  assert.deepEqual(r.lines, [...numbered(0, 10), ...numbered(100, 300)]);
});

test('equal first lines of successive generations have different ids', async () => {
  await using r = await reading();
  for (let n = 0; n < 3; n++) {
    writeFileSync(r.path('a.log'), 'same first line\nx\n');
    await r.poll();
    truncateSync(r.path('a.log'));
    await r.poll();
  }
  assert.equal(r.lines.length, 6);
  assert.equal(new Set(r.ids).size, 6);
});

test('equal files at different paths have different ids', async () => {
  await using r = await reading();
  for (const name of ['a.log', 'b.log']) writeFileSync(r.path(name), 'same\n');
  await r.poll();
  assert.equal(new Set(r.ids).size, 2);
});

test('a restart resumes at its offset', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll();
  await r.restart();
  appendFileSync(r.path('a.log'), 'two\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two']);
});

test('without its checkpoint a file is read again, with the same ids', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'one\ntwo\n');
  await r.poll();
  await r.restart({ checkpoint: false });
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two', 'one', 'two']);
  assert.deepEqual(r.ids.slice(0, 2), r.ids.slice(2));
});

test('a file renamed between two polls is read to its end', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'one\n');
  await r.poll();
  appendFileSync(r.path('a.log'), 'two\n');
  await r.restart();
  renameSync(r.path('a.log'), r.path('a.log.1'));
  writeFileSync(r.path('a.log'), 'three\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two', 'three']);
});

test('a file truncated between two polls is read from its beginning', async () => {
  await using r = await reading();
  writeFileSync(r.path('a.log'), 'one\ntwo\n');
  await r.poll();
  await r.restart();
  writeFileSync(r.path('a.log'), 'three\n');
  await r.poll();
  assert.deepEqual(r.lines, ['one', 'two', 'three']);
});

test('a line over the limit is truncated and counted, and the next one is read whole', async () => {
  await using r = await reading({ maxLineBytes: 1000 });
  writeFileSync(r.path('a.log'), `${'x'.repeat(1500)}\nnext\n`);
  await r.poll();
  assert.deepEqual(r.lines, ['x'.repeat(1000), 'next']);
  assert.equal(r.counts.cut, 1);
});

test('a line longer than any buffer is truncated at a character, even across a restart', async () => {
  await using r = await reading({ maxLineBytes: 300_001 });
  writeFileSync(r.path('a.log'), `first\n${'€'.repeat(200_000)}`);
  await r.poll();
  await r.restart();
  appendFileSync(r.path('a.log'), `${'€'.repeat(200_000)}\nnext\n`);
  await r.poll();
  assert.deepEqual(
    r.lines.map((line) => (line.length > 10 ? `${line.length} characters` : line)),
    ['first', '100000 characters', 'next'],
  );
  assert.equal(r.lines[1]?.includes('\uFFFD'), false);
  assert.equal(r.counts.cut, 1);
});

test('a ten megabyte line below the limit is read whole', async () => {
  await using r = await reading({ maxLineBytes: 16 * 1024 * 1024 });
  writeFileSync(r.path('a.log'), `${'y'.repeat(10_000_000)}\nnext\n`);
  await r.poll();
  assert.deepEqual(
    r.lines.map((line) => line.length),
    [10_000_000, 4],
  );
});

test("a file created after a restart at a removed file's path, with the same start, has its own ids", async () => {
  const banner = Array.from({ length: 20 }, (_, n) => `always the same banner ${n}`);
  await using r = await reading();
  for (const run of ['one', 'two', 'three']) {
    writeFileSync(r.path('a.log'), text([...banner, `run ${run}`]));
    await r.poll();
    rmSync(r.path('a.log'));
    // Enough polls for the descriptor of the removed file to be closed.
    for (let n = 0; n < 10; n++) await r.poll();
    await r.restart();
    await r.poll();
    await r.restart();
  }
  assert.equal(r.lines.length, 63);
  assert.equal(new Set(r.ids).size, 63);
});
