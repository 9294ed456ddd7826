import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { reading, type Reading } from './reading.ts';

const FILE = 'a.log';
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`);
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

function append(r: Reading, from: number, to: number, name = FILE): void {
  appendFileSync(r.path(name), text(numbered(from, to)));
}

/** Rotates as logrotate does, moving previous files up by one. */
function copytruncate(r: Reading, kept = 1): void {
  for (let n = kept; n > 1; n--) renameSync(r.path(`${FILE}.${n - 1}`), r.path(`${FILE}.${n}`));
  copyFileSync(r.path(FILE), r.path(`${FILE}.1`));
  truncateSync(r.path(FILE));
}

function compress(r: Reading, name: string): void {
  writeFileSync(r.path(`${name}.gz`), gzipSync(readFileSync(r.path(name))));
  rmSync(r.path(name));
}

/** The lines and IDs that a reader without a checkpoint finds. */
async function readAnew(r: Reading): Promise<ReadonlyMap<string, string>> {
  const from = r.lines.length;
  await r.restart({ checkpoint: false });
  await r.poll();
  return new Map(r.lines.slice(from).map((line, n) => [line, r.ids[from + n]!]));
}

/** Longer than what names a generation. */
const SAME_START = `${'='.repeat(300)}\n`;

for (const [kind, rotate] of [
  ['renamed', (r: Reading) => renameSync(r.path(FILE), r.path(`${FILE}.1`))],
  ['truncated', (r: Reading) => copytruncate(r)],
] as const)
  for (const lines of [
    [5, 9, 3],
    [9, 5, 3],
    [3, 5, 9],
  ] as const)
    test(`files of ${lines.join(', ')} lines with the same first 300 bytes, ${kind} between two looks, share no ID`, async () => {
      await using r = await reading();
      const expected: string[] = [];
      let at = 0;
      for (const [n, count] of lines.entries()) {
        if (n > 0) {
          if (n === 2) renameSync(r.path(`${FILE}.1`), r.path(`${FILE}.2`));
          rotate(r);
        }
        appendFileSync(r.path(FILE), SAME_START);
        append(r, at, at + count);
        expected.push(SAME_START.trimEnd(), ...numbered(at, at + count));
        at += count;
        if (n === 0) await r.poll();
      }
      await r.poll();
      assert.deepEqual(r.lines, expected);
      assert.equal(new Set(r.ids).size, expected.length);
    });

test('while stopped: the rest of truncated content is read from its copy', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  append(r, 10, 20);
  await r.restart();
  copytruncate(r);
  append(r, 20, 25);
  await r.poll();
  assert.deepEqual(r.lines, numbered(0, 25));
  assert.equal(r.counts.lostBytes, 0);
});

test('while stopped: the rest is read from its copy even while the new file is empty', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  append(r, 10, 20);
  await r.restart();
  copytruncate(r);
  await r.poll();
  assert.deepEqual(r.lines, numbered(0, 20));
});

test('while stopped: several generations are each read as a whole', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  append(r, 10, 20);
  await r.restart();
  for (let n = 1; n <= 3; n++) {
    copytruncate(r, n);
    append(r, n * 20, n * 20 + 20);
  }
  await r.poll();
  assert.deepEqual(r.lines.toSorted(byNumber), numbered(0, 80));
});

test('while stopped: three renames, each generation is read as a whole', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  append(r, 10, 20);
  await r.restart();
  for (let n = 1; n <= 3; n++) {
    for (let old = n; old > 1; old--) renameSync(r.path(`${FILE}.${old - 1}`), r.path(`${FILE}.${old}`));
    renameSync(r.path(FILE), r.path(`${FILE}.1`));
    append(r, n * 20, n * 20 + 20);
  }
  await r.poll();
  assert.deepEqual(r.lines, numbered(0, 80));
});

test('while stopped: a copy that is already compressed is lost, counted and logged', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  append(r, 10, 20);
  await r.restart();
  copytruncate(r);
  compress(r, `${FILE}.1`);
  append(r, 20, 25);
  await r.poll();
  assert.deepEqual(r.lines, [...numbered(0, 10), ...numbered(20, 25)]);
  assert.equal(r.counts.lostBytes, text(numbered(10, 20)).length);
  assert.match(r.said.join('\n'), /a\.log\.1\.gz is compressed already: 80 bytes are lost/);
});

test('a copy compressed before the next poll is lost, counted and logged', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  append(r, 10, 20);
  copytruncate(r);
  compress(r, `${FILE}.1`);
  append(r, 20, 25);
  await r.poll();
  await r.poll();
  assert.deepEqual(r.lines, [...numbered(0, 10), ...numbered(20, 25)]);
  assert.equal(r.counts.lostBytes, 80);
});

test('a reader that is behind reads the rest from its copy, even if lines were written before the truncation', async () => {
  await using r = await reading();
  const before = numbered(0, 700).map((line) => line.padEnd(1000, '.'));
  appendFileSync(r.path(FILE), text(before));
  let chunks = 0;
  r.pace = () => {
    chunks++;
    // logrotate syncs the copy before it truncates the original, which takes long enough for another line.
    if (chunks === 2) {
      copyFileSync(r.path(FILE), r.path(`${FILE}.1`));
      const { mtimeMs } = statSync(r.path(`${FILE}.1`));
      while (statSync(r.path(FILE)).mtimeMs <= mtimeMs) appendFileSync(r.path(FILE), 'not in the copy\n');
    }
    if (chunks === 3) {
      truncateSync(r.path(FILE));
      append(r, 700, 710);
    }
    return Promise.resolve(true);
  };
  await r.poll();
  await r.poll();
  assert.deepEqual(r.lines, [...before, ...numbered(700, 710)]);
});

test('bytes seen but not read count as lost without a copy', async () => {
  await using r = await reading();
  writeFileSync(r.path(FILE), 'one\nunfinished');
  await r.poll();
  truncateSync(r.path(FILE));
  await r.poll();
  assert.equal(r.counts.lostBytes, 'unfinished'.length);
  assert.match(r.said.join('\n'), /there is no copy next to it: 10 bytes are lost/);
});

test('a truncation after everything was read loses nothing', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  copytruncate(r);
  await r.poll();
  append(r, 10, 20);
  await r.poll();
  assert.equal(r.counts.lostBytes, 0);
  assert.deepEqual(r.lines, numbered(0, 20));
});

test('a restart while the rest of a copy is being sent reads that rest again', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  append(r, 10, 20);
  copytruncate(r);
  append(r, 20, 25);
  r.acknowledge = (line) => Number(line.slice(5)) < 15;
  await r.poll();
  await r.poll();
  const before = new Map(r.lines.map((line, n) => [line, r.ids[n]]));
  assert.equal(before.size, 25);
  r.acknowledge = () => true;
  const from = r.lines.length;
  await r.restart();
  await r.poll();
  assert.deepEqual(r.lines.slice(from), numbered(15, 25));
  assert.deepEqual(
    r.ids.slice(from),
    numbered(15, 25).map((line) => before.get(line)),
  );
});

test('a line that is read again without a checkpoint has the same id', async () => {
  await using r = await reading();
  append(r, 0, 20);
  await r.poll();
  const before = r.ids.slice(0, 20);
  const again = await readAnew(r);
  assert.deepEqual(
    numbered(0, 20).map((line) => again.get(line)),
    before,
  );
});

test('a generation has one id, whether read in place or from its copy', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  await r.restart();
  copytruncate(r);
  append(r, 10, 20);
  copytruncate(r, 2);
  append(r, 20, 30);
  await r.poll();
  const [copied] = r.ids.slice(10, 20);
  // Read in place, a new file with the same first line at the same path must have the same IDs.
  for (const name of [FILE, `${FILE}.1`, `${FILE}.2`]) rmSync(r.path(name));
  await r.restart({ checkpoint: false });
  append(r, 10, 20);
  await r.poll();
  assert.equal(r.ids[r.lines.lastIndexOf('line 10')], copied);
});

test('generations with the same start have different ids where they differ, even without their checkpoint', async () => {
  await using r = await reading();
  writeFileSync(r.path(FILE), 'banner\none\ntwo\n');
  await r.poll();
  truncateSync(r.path(FILE));
  appendFileSync(r.path(FILE), 'banner\nthree\nfour\n');
  await r.restart({ checkpoint: false });
  await r.poll();
  const ids = new Map(r.lines.map((line, n) => [line, r.ids[n]]));
  assert.equal(new Set(ids.values()).size, 5, 'the banner once, and all others');
});

test('generations with the same start have different ids even across a restart', async () => {
  await using r = await reading();
  for (let n = 0; n < 3; n++) {
    writeFileSync(r.path(FILE), 'same\nlines\n');
    await r.poll();
    await r.restart();
    truncateSync(r.path(FILE));
    await r.poll();
  }
  assert.equal(r.lines.length, 6);
  assert.equal(new Set(r.ids).size, 6);
});

test('a writer without O_APPEND leaves a hole at the start, which is not a line', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  for (const line of ['after', 'after that']) {
    copytruncate(r);
    writeFileSync(r.path(FILE), Buffer.concat([Buffer.alloc(600_000), Buffer.from(`${line}\n`)]));
    await r.poll();
  }
  assert.deepEqual(r.lines, [...numbered(0, 10), 'after', 'after that']);
  assert.equal(new Set(r.ids).size, 12);
});

test('rotated files that match too are shipped once on first start, and never again', async () => {
  await using r = await reading({ patterns: ['*.log*'] });
  append(r, 0, 10, `${FILE}.1`);
  append(r, 10, 20);
  await r.poll();
  assert.deepEqual(r.lines, numbered(0, 20));
  rmSync(r.path(`${FILE}.1`));
  copytruncate(r);
  append(r, 20, 30);
  await r.poll();
  await r.poll(10_000);
  await r.poll(10_000);
  await r.restart();
  await r.poll();
  assert.deepEqual(r.lines, numbered(0, 30));
  assert.match(r.said.join('\n'), /a\.log\.1 matches, but was rotated from .*a\.log: it is not shipped again/);
});

test('a rotated file whose origin is not shipped is treated as an ordinary file', async () => {
  await using r = await reading({ patterns: [`${FILE}.1`] });
  append(r, 0, 10, `${FILE}.1`);
  append(r, 10, 20);
  await r.poll();
  assert.deepEqual(r.lines, numbered(0, 10));
});

test('a writer that keeps writing to the renamed file for minutes is followed', async () => {
  await using r = await reading();
  append(r, 0, 10);
  await r.poll();
  renameSync(r.path(FILE), r.path(`${FILE}.1`));
  append(r, 10, 20);
  await r.poll(300_000);
  append(r, 20, 30, `${FILE}.1`);
  await r.poll(300_000);
  rmSync(r.path(`${FILE}.1`));
  await r.poll(10_000);
  await r.poll(10_000);
  assert.deepEqual(r.lines, numbered(0, 30));
});

test('files that were rotated away are closed', async () => {
  await using r = await reading();
  for (let n = 0; n < 5; n++) {
    append(r, n * 10, n * 10 + 10);
    await r.poll();
    renameSync(r.path(FILE), r.path(`${FILE}.${9 - n}`));
  }
  const open = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(r.directory)).length;
  await r.poll();
  assert.equal(open(), 5);
  await r.poll(700_000);
  assert.equal(open(), 0);
});

for (const how of ['copytruncate', 'rename'] as const) {
  test(`a long outage: files from ${how} are opened before they are compressed`, async (t) => {
    await using r = await reading();
    append(r, 0, 10);
    await r.poll();
    append(r, 10, 20);
    t.mock.timers.enable({ apis: ['setInterval'] });
    const room = Promise.withResolvers<boolean>();
    r.pace = () => room.promise;
    const polled = r.poll();
    for (let n = 2; n < 6; n++) {
      // The time of a copy must differ from that of the previous copy.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (how === 'copytruncate') copytruncate(r);
      else renameSync(r.path(FILE), r.path(`${FILE}.1`));
      append(r, n * 10, n * 10 + 10);
      t.mock.timers.tick(1000);
      compress(r, `${FILE}.1`);
      rmSync(r.path(`${FILE}.1.gz`));
    }
    r.pace = () => Promise.resolve(true);
    room.resolve(true);
    await polled;
    await r.poll();
    assert.deepEqual(r.lines, numbered(0, 60));
    assert.equal(r.counts.lostBytes, 0);
  });
}

test('an unterminated line shipped on shutdown stays a separate line when it is read again', async () => {
  await using r = await reading();
  writeFileSync(r.path(FILE), 'whole\nhal');
  r.acknowledge = () => false;
  await r.poll(0, true);
  const ids = [...r.ids];
  await r.restart();
  appendFileSync(r.path(FILE), 'f\nnext\n');
  r.acknowledge = () => true;
  await r.poll();
  assert.deepEqual(r.lines.slice(2), ['whole', 'hal', 'f', 'next']);
  assert.deepEqual(r.ids.slice(2, 4), ids);
});

test('an unterminated line over the limit is truncated on shutdown, and its rest is skipped later', async () => {
  await using r = await reading({ maxLineBytes: 1000 });
  writeFileSync(r.path(FILE), 'x'.repeat(1500));
  await r.poll(0, true);
  await r.restart();
  appendFileSync(r.path(FILE), 'rest\nnext\n');
  await r.poll();
  assert.deepEqual(r.lines, ['x'.repeat(1000), 'next']);
});

function byNumber(a: string, b: string): number {
  return Number(a.slice(5)) - Number(b.slice(5));
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ''; // the descriptor of the listing itself, closed by now
  }
}
