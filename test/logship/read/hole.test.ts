import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { holeIn } from '../../../src/logship/read/bytes.ts';
import { reading } from './reading.ts';

const KB = 1024;

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

/** Writes zeros to a range: reading a punched hole gives the same. */
function punch(file: string, start: number, end: number): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(end - start), 0, end - start, start);
  closeSync(fd);
}

for (const [what, end] of [
  ['a chunk', 100 * KB],
  ['many chunks', 1500 * KB],
] as const) {
  test(`a file that was reclaimed for ${what} is read around the hole: no NUL, no partial line`, async () => {
    await using r = await reading();
    const { text, lines } = numbered(12_000);
    const file = r.path('a.log');
    await writeFile(file, text);
    await r.poll();
    const ids = [...r.ids];
    punch(file, 64 * KB, end);
    await r.restart({ checkpoint: false });
    r.lines.length = r.ids.length = 0;
    await r.poll();
    const isKept = lines.map(({ line, at }) => at + line.length < 64 * KB || at > end);
    assert.deepEqual(
      r.lines,
      lines.flatMap(({ line }, n) => (isKept[n] ? [line] : [])),
    );
    assert.deepEqual(
      r.ids,
      ids.filter((_, n) => isKept[n]),
    );
    assert.match(r.said.join('\n'), /the reclaimed part after byte \d+ is not read again/);
  });
}

test('a hole after the end of a line is detected too', async () => {
  await using r = await reading();
  const lines = `${'y'.repeat(KB - 1)}\n`.repeat(64);
  await writeFile(r.path('a.log'), `${lines}${'\0'.repeat(80 * KB)}torn\nwhole\n`);
  await r.poll();
  assert.equal(r.lines.length, 65);
  assert.equal(r.lines.at(-1), 'whole');
});

test('a line longer than a chunk before a hole is skipped with it', async () => {
  await using r = await reading();
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
});

test('reading continues after a hole at the end of the content', async () => {
  await using r = await reading();
  const file = r.path('a.log');
  await writeFile(file, `${'y'.repeat(64 * KB - 1)}\n${'\0'.repeat(64 * KB)}`);
  await r.poll();
  await appendFile(file, 'torn\nnew\n');
  await r.poll();
  assert.equal(r.lines.at(-1), 'new');
  assert.equal(r.lines.length, 2);
});

test('NULs that do not fill a block, or start within one, are not a hole', () => {
  const at = 64 * KB;
  const chunk = (nuls: number, before = 10) => Buffer.from(`${'a'.repeat(before)}${'\0'.repeat(nuls)}b`);
  const newline = 10;
  assert.equal(holeIn(chunk(4096), at - 10, newline), 10);
  assert.equal(holeIn(chunk(4095), at - 10, newline), -1);
  assert.equal(holeIn(chunk(8192, 11), at - 10, newline), -1);
  assert.equal(holeIn(chunk(8192), 10, newline), -1, 'nothing there is ever reclaimed');
  assert.equal(holeIn(Buffer.alloc(4096), at, newline), 0);
  assert.equal(holeIn(Buffer.alloc(4096), at, 0), -1, 'it started earlier');
});
