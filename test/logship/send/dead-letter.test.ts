import assert from 'node:assert/strict';
import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { test } from 'node:test';
import { StateDirectory } from '../../../src/logship/state/held-directory.ts';
import { DeadLetters } from '../../../src/logship/send/dead-letter.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { log } from '../read/reading.ts';

const LIMIT = 20_000;

async function letters(limit = LIMIT) {
  const directory = await privateDirectory('letters');
  const said: string[] = [];
  const dropped: number[] = [];
  const open = () =>
    new DeadLetters({
      directory: new StateDirectory(directory.path),
      name: 'dead-letter.jsonl',
      limit,
      log: log(said),
      now: () => new Date(0),
      onDropped: (count) => dropped.push(count),
    });
  return {
    file: open().file,
    open,
    said,
    dropped,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const letter = (id: string, payload = '') => ({
  document: Buffer.from(`{"create":{"_index":"i","_id":"${id}"}}\n${JSON.stringify({ Payload: payload })}\n`),
  reason: 'refused',
  cause: 'mapping',
});

async function idsIn(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { id: string }).id);
}

test('letters are appended in order, and readable only by us', async () => {
  await using l = await letters();
  const deadLetters = l.open();
  await Promise.all([deadLetters.write([letter('a'), letter('b')]), deadLetters.write([letter('c')])]);
  assert.deepEqual(await idsIn(l.file), ['a', 'b', 'c']);
  assert.equal((await stat(l.file)).mode & 0o777, 0o600);
});

test('both files together stay below the limit; overwritten letters are counted and logged', async () => {
  await using l = await letters();
  const deadLetters = l.open();
  const payload = 'x'.repeat(900);
  for (let n = 0; n < 25; n++) await deadLetters.write([letter(`d${n}`, payload)]);
  const kept = [...(await idsIn(`${l.file}.1`)), ...(await idsIn(l.file))];
  const lost = l.dropped.reduce((sum, count) => sum + count, 0);
  assert.equal(kept.length + lost, 25);
  assert.ok(lost > 0);
  assert.equal(kept.at(-1), 'd24');
  const sizes = await Promise.all([l.file, `${l.file}.1`].map(async (file) => (await stat(file)).size));
  assert.ok(sizes[0]! + sizes[1]! <= LIMIT);
  assert.match(l.said.join('\n'), /dead letters, the oldest, were overwritten/);
});

test('the first letter of each cause is logged, in each run', async () => {
  await using l = await letters();
  const other = { ...letter('c'), reason: 'dropped', cause: 'noop' };
  const deadLetters = l.open();
  await deadLetters.write([letter('a'), letter('b'), other]);
  await deadLetters.write([letter('d'), { ...other, document: letter('e').document }]);
  assert.deepEqual(
    l.said.map((text) => /rejects a line: (\w+);/.exec(text)?.[1]),
    ['refused', 'dropped'],
  );
  await l.open().write([letter('f')]);
  assert.equal(l.said.length, 3);
});

test('after a partial line left by a crash, letters start on a new line', async () => {
  await using l = await letters();
  await l.open().write([letter('a')]);
  await appendFile(l.file, '{"time":"19');
  await l.open().write([letter('b')]);
  const lines = (await readFile(l.file, 'utf8')).trimEnd().split('\n');
  assert.equal(lines.length, 3);
  assert.equal((JSON.parse(lines[2]!) as { id: string }).id, 'b');
});

test('a letter written by an earlier run is not repeated', async () => {
  await using l = await letters();
  await l.open().write([letter('a'), letter('b')]);
  await l.open().write([letter('b'), letter('c')]);
  await l.open().write([letter('a')]);
  assert.deepEqual(await idsIn(l.file), ['a', 'b', 'c']);
});

test("a letter with Unicode's line separators is not repeated either, and its text is kept", async () => {
  await using l = await letters();
  const payload = 'one\u2028two\u2029three';
  for (let run = 0; run < 2; run++) await l.open().write([letter('a', payload)]);
  assert.deepEqual(await idsIn(l.file), ['a']);
  const { document } = JSON.parse(await readFile(l.file, 'utf8')) as { document: { Payload: string } };
  assert.equal(document.Payload, payload);
});

test('the beginning of a letter that a crash has left does not count as the letter', async () => {
  await using l = await letters(1e9);
  await l.open().write([letter('a', 'x'.repeat(200_000)), letter('b')]);
  const whole = await readFile(l.file);
  await truncate(l.file, whole.length - 10);
  await l.open().write([letter('b')]);
  const lines = (await readFile(l.file, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    lines.slice(1).map((line) => line.includes('"id":"b"')),
    [true, true],
  );
  await l.open().write([letter('a'), letter('b')]);
  assert.equal((await readFile(l.file, 'utf8')).trimEnd().split('\n').length, 3);
});

test('an ID in the reason or in the document is not that of a letter', async () => {
  await using l = await letters();
  const text = 'failed,"id":"b"';
  const nested = Buffer.from(
    `{"create":{"_index":"i","_id":"a"}}\n{"x":1,"id":"b","Payload":${JSON.stringify(text)}}\n`,
  );
  await l.open().write([{ document: nested, reason: text, cause: 'mapping' }]);
  await l.open().write([letter('a'), letter('b')]);
  assert.deepEqual(await idsIn(l.file), ['a', 'b']);
});

test('of thousands of letters after a few of an earlier run, each is written once', async () => {
  await using l = await letters(1e9);
  const all = Array.from({ length: 20_000 }, (_, nth) => letter(`id${nth}`));
  await l.open().write(all.filter((_, nth) => nth % 10 === 0));
  await l.open().write(all);
  assert.deepEqual(new Set(await idsIn(l.file)).size, all.length);
  assert.equal((await idsIn(l.file)).length, all.length);
});

test('letters of earlier runs are found anywhere in files of many megabytes, also after these were renamed', async () => {
  await using l = await letters(32e6);
  const earlier = Array.from({ length: 12 }, (_, nth) => letter(`e${nth}`, 'x'.repeat(1e6)));
  await l.open().write(earlier);
  const later = l.open();
  await later.write([earlier[3]!, letter('new', 'x'.repeat(6e6)), earlier[11]!]);
  assert.deepEqual(await idsIn(l.file), ['new']);
  await later.write([...earlier, letter('last')]);
  assert.deepEqual(await idsIn(l.file), ['new', 'last']);
  assert.equal((await idsIn(`${l.file}.1`)).length, earlier.length);
});
