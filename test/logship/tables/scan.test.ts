import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIGIT, UPPER, bytesOf } from '../../../src/logship/tables/byte-set.ts';
import { as, either, is, place, rest, run, time, type Table } from '../../../src/logship/tables/items.ts';
import { RowKind, type Layout } from '../../../src/logship/tables/layout.ts';
import { ReferenceTable } from '../../../src/logship/tables/reference/table.ts';
import { LineRole, Stop, type Block } from '../../../src/logship/tables/scanner.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';

/** `S 7 A text`: second, process, kind (A alone, B begins, R resumes, O opens) and text; other lines follow. */
const TABLE: Table = {
  name: 'test',
  otherwise: 'follows',
  process: 'process',
  same: ['second'],
  goesOn: bytesOf(' '),
  line: [
    as('second', either([time('Y-m-d H:M:S')], ['-'])),
    ' ',
    as('process', run(DIGIT)),
    ' ',
    as('kind', run(UPPER, 1, 1)),
    either(
      [is('kind', 'A'), place('alone')],
      [is('kind', 'B'), place('begins')],
      [is('kind', 'R'), place('resumes')],
      [is('kind', 'O'), place('opens')],
    ),
    ' ',
    rest('text'),
  ],
};
const LAYOUT: Layout = {
  isRaw: false,
  rows: [{ kind: RowKind.rest, capture: 'text', key: ',"text":' }],
  before: ',"text":"',
  after: '","bad":true',
  tail: '}',
};
const DAY = 20_777;
const NEAR_MS = DAY * 86_400_000;
const at = (second: number) => `2026-11-20 00:00:0${second}`;

function blockOf(lines: readonly string[], more: Partial<Block> = {}): Block {
  const chunk = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const block = {
    chunk,
    at: 0,
    end: chunk.length,
    base: 1000,
    lastMs: NaN,
    nearMs: NEAR_MS,
    undatedMs: NaN,
    undatedDay: DAY,
    maxLineBytes: 1000,
    held: [],
    isLastHeld: false,
    aloneStops: false,
    name: 'abcdefghijkl',
    openings: [{ day: DAY, bytes: Buffer.from('{"create":{"_id":"') }],
    into: Buffer.alloc(4096),
    filled: 0,
    most: 100,
  };
  const results = { documents: 0, lines: 0, taken: 0, firstOffset: 0, endOffset: 0, endMs: 0 };
  const dates = { isDated: false, undatedOffset: -1, isUndatedLater: false, stopAt: 0 };
  return { ...block, ...results, ...dates, ...more };
}

function scanned(lines: readonly string[], more: Partial<Block> = {}) {
  const table = new ReferenceTable(TABLE, LAYOUT, zoneTableNamed('UTC'));
  const block = blockOf(lines, more);
  const stop = table.scan(block);
  const written = block.into.toString('utf8', 0, block.filled).split('\n').slice(0, -1);
  const texts = written.filter((_, n) => n % 2 === 1).map((line) => (JSON.parse(line) as { text: string }).text);
  return { table, block, stop, written, texts };
}

test('an event ends with the next one of its process, and open ones are handed over', () => {
  const { table, block, stop, texts } = scanned([`${at(1)} 7 B a`, ' more', `${at(2)} 8 B b`, `${at(3)} 7 B c`, 'x']);
  assert.equal(stop, Stop.end);
  assert.deepEqual(texts, ['a\n more']);
  assert.deepEqual([block.documents, block.lines, block.taken, block.firstOffset], [1, 2, 5, 1000]);
  assert.deepEqual([block.endOffset, block.endMs], [1032, Date.UTC(2026, 10, 20, 0, 0, 1)]);
  const opened = table.take().map(({ text, pid, isLast, lines }) => ({ text: text.toString(), pid, isLast, lines }));
  assert.deepEqual(opened, [
    { text: `${at(2)} 8 B b`, pid: 8, isLast: false, lines: 1 },
    { text: `${at(3)} 7 B c\nx`, pid: 7, isLast: true, lines: 2 },
  ]);
  assert.deepEqual(table.take(), []);
});

test('a line resumes the event of its process if they have the captures in common', () => {
  const { table } = scanned([`${at(1)} 7 B a`, `${at(1)} 8 B b`, `${at(1)} 7 R c`, `${at(2)} 8 R d`]);
  const texts = table.take().map(({ text }) => text.toString());
  assert.deepEqual(texts, [`${at(1)} 7 B a\n${at(1)} 7 R c`, `${at(2)} 8 R d`]);
});

test('an event that a line opens takes lines as long as the last one goes on', () => {
  const { texts } = scanned([`${at(1)} 7 O a`, `${at(1)} 7 A b`, ` x`, `${at(1)} 7 A c`, `${at(1)} 7 A d`]);
  assert.deepEqual(texts, [`a\n${at(1)} 7 A b\n x\n${at(1)} 7 A c`, 'd']);
});

test('an id is the name, the offset and the digest of the first line', () => {
  const { written } = scanned([`${at(1)} 7 A a\r`]);
  assert.match(written[0]!, /^\{"create":\{"_id":"abcdefghijkl0000000rs[0-9a-z]{7}"\}\}$/);
  assert.equal(written[1], '{"@timestamp":"2026-11-20T00:00:01.000Z","text":"a"}');
});

for (const [what, lines, more, stop, taken] of [
  ['a line that is too long', [`${at(1)} 7 A a`, 'x'.repeat(1001)], {}, Stop.line, 1],
  ['a line without a time', ['- 7 A a'], {}, Stop.line, 0],
  ['a process whose event the caller holds', [`${at(1)} 7 B a`], { held: [7] }, Stop.held, 0],
  ['a line alone after an event of the caller', [`${at(1)} 7 A a`], { isLastHeld: true }, Stop.line, 0],
  ['a line that follows an event of the caller', ['x'], { isLastHeld: true }, Stop.line, 0],
  ['a line alone that needs the caller', [`${at(1)} 7 A a`], { aloneStops: true }, Stop.line, 0],
  ['another day', [`${at(1)} 7 A a`], { openings: [] }, Stop.day, 0],
  ['a full request', [`${at(1)} 7 A a`], { into: Buffer.alloc(50) }, Stop.full, 0],
  ['too many documents', [`${at(1)} 7 A a`, `${at(1)} 7 A b`], { most: 1 }, Stop.full, 1],
  ['a time far ahead of the line before', [`${at(1)} 7 A a`, '2027-05-24 00:00:02 7 A b'], {}, Stop.line, 1],
  ['a time far behind the line before', [`${at(1)} 7 B a`, '2026-05-20 00:00:00 7 B b'], {}, Stop.line, 1],
  ['too many events', Array.from({ length: 257 }, (_, n) => `${at(1)} ${n} B a`), {}, Stop.many, 256],
] as const)
  test(`${what} stops a scan before it is taken`, () => {
    const { block, stop: why } = scanned(lines, more);
    assert.deepEqual([why, block.taken], [stop, taken]);
  });

test('a time half a year ahead of the line before or behind it is not far', () => {
  const openings = [DAY, DAY - 184].map((day) => ({ day, bytes: Buffer.from('{"create":{"_id":"') }));
  const { stop } = scanned([`${at(1)} 7 A a`, '2026-05-20 00:00:01 7 A b', `${at(1)} 7 A c`], { openings });
  assert.equal(stop, Stop.end);
});

test('a stopped scan continues with the line that stopped it', () => {
  const { table, block } = scanned([`${at(1)} 7 B a`, `${at(2)} 7 B b`, `${at(3)} 7 A c`], { most: 0 });
  assert.deepEqual([block.taken, block.documents], [1, 0]);
  Object.assign(block, { most: 100 });
  assert.equal(table.scan(block), Stop.end);
  assert.deepEqual([block.taken, block.documents, block.lines], [2, 3, 3]);
});

test('lines without a time have that of the caller until a line is dated', () => {
  const { block, written } = scanned(['- 7 A a', `${at(1)} 7 A b`, '- 7 A c'], { undatedMs: DAY * 86_400_000 });
  assert.deepEqual([block.undatedOffset, block.isDated, block.isUndatedLater], [1000, true, true]);
  assert.match(written[1]!, /T00:00:00/);
  assert.match(written[5]!, /T00:00:01/);
});

test('an event beyond 64 KiB of other lines has ended', () => {
  const lines = [
    `${at(1)} 7 B a`,
    `${at(1)} 8 B b`,
    ...Array.from({ length: 100 }, () => 'x'.repeat(900)),
    `${at(1)} 7 R c`,
  ];
  const { texts } = scanned(lines, { into: Buffer.alloc(1 << 20) });
  assert.deepEqual(texts, ['a']);
});

test('place() says what a line is to the caller, who frames it', () => {
  const table = new ReferenceTable(TABLE, LAYOUT, zoneTableNamed('UTC'));
  const roleOf = (line: string, last?: string) =>
    table.place(Buffer.from(line), NaN, 0, last === undefined ? undefined : Buffer.from(last)).role;
  assert.equal(roleOf(`${at(1)} 7 O a`), LineRole.begins);
  assert.equal(roleOf(`${at(1)} 7 A a`), LineRole.alone);
  assert.equal(roleOf(`${at(1)} 7 A a`, `${at(1)} 7 O a`), LineRole.follows);
  assert.equal(roleOf(`${at(1)} 7 A a`, `${at(1)} 7 O a\n x`), LineRole.follows);
  assert.equal(roleOf(`${at(1)} 7 A a`, `${at(1)} 7 O a\nx`), LineRole.alone);
  assert.equal(table.resumes(Buffer.from(`${at(1)} 7 B a\nx`), Buffer.from(`${at(1)} 7 R b`)), true);
  assert.equal(table.resumes(Buffer.from(`${at(2)} 7 B a`), Buffer.from(`${at(1)} 7 R b`)), false);
});
