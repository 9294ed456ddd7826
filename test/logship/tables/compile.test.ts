import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANY, DIGIT } from '../../../src/logship/tables/byte-set.ts';
import { compile } from '../../../src/logship/tables/compile.ts';
import {
  ahead,
  as,
  either,
  many,
  maybe,
  not,
  place,
  rest,
  run,
  time,
  toLast,
  within,
  type Item,
  type Table,
} from '../../../src/logship/tables/items.ts';

const tableOf = (...line: Item[]): Table => ({ name: 'test', otherwise: 'alone', line });

test('the bytes of a table are its header, sets, constants and operations', () => {
  const table: Table = { ...tableOf('x', as('n', run(DIGIT, 1, 3)), rest('p')), otherwise: 'follows', same: ['n'] };
  const bytes = compile(table);
  assert.equal(bytes.toString('latin1', 0, 4), 'KLT2');
  const code = Buffer.from([1, 1, 120, 8, 0, 2, 0, 1, 3, 9, 0, 8, 1, 6, 10, 9, 1, 0]);
  assert.deepEqual([...bytes.subarray(4, 16)], [1, 2, 1, 2, 255, 1, 0, 0, 0, 0, code.length, 0]);
  assert.deepEqual([...bytes.subarray(16, 48)], [...DIGIT]);
  assert.equal(bytes[48], 0);
  assert.deepEqual(bytes.subarray(49), code);
});

test('jumps go forward, to the operation after a choice', () => {
  const bytes = compile(tableOf(either(['a'], ['b']), place('begins')));
  assert.deepEqual([...bytes.subarray(16)], [11, 9, 0, 1, 1, 97, 12, 12, 0, 1, 1, 98, 15, 1, 0]);
  const repeated = compile(tableOf(many(2, 'a')));
  assert.deepEqual([...repeated.subarray(16)], [11, 18, 0, 1, 1, 97, 12, 9, 0, 11, 18, 0, 1, 1, 97, 12, 18, 0, 0]);
  const looked = compile(tableOf(ahead('a')));
  assert.deepEqual([...looked.subarray(16)], [11, 13, 0, 11, 11, 0, 1, 1, 97, 13, 14, 13, 14, 0]);
});

test('a time has the width of the text before its seconds, if that is always the same', () => {
  const head = (layout: string) => [...compile(tableOf(time(layout, 'undated'))).subarray(16, 20)];
  assert.deepEqual(head('Y-m-d H:M:Sf'), [17, 64 + 17, 10, 12]);
  assert.deepEqual(head('Y-m-d h:M:Sf'), [17, 64, 0, 12]);
  assert.deepEqual(head('md H:M:SF'), [17, 64, 0, 9]);
});

for (const [what, table, message] of [
  ['more than 48 captures', tableOf(...Array.from({ length: 49 }, (_, n) => as(`c${n}`))), /more than 48 captures/],
  ['two rests', tableOf(either([rest('a')], [rest('b')])), /only one capture may be the rest/],
  ['a within in a within', tableOf(as('a'), within('a', within('a'))), /in another within/],
  ['an unknown capture', tableOf(within('a')), /no item captures 'a'/],
  ['an empty text', tableOf(''), /an empty text/],
  ['a text of 256 bytes', tableOf('x'.repeat(256)), /256 is more than 255/],
  ['too many operations', tableOf(...Array.from({ length: 300 }, () => 'x'.repeat(250))), /more than 65535/],
  [
    'deep choices',
    tableOf(Array.from({ length: 33 }).reduce<Item>((inner) => maybe(inner), 'x')),
    /choices deeper than 32/,
  ],
] as const)
  test(`${what} cannot be compiled`, () => assert.throws(() => compile(table), message));

test('32 sets of bytes are the most', () => {
  const sets = (count: number) =>
    tableOf(
      ...Array.from({ length: count }, (_, n) =>
        toLast(
          Uint8Array.from(ANY, (_byte, at) => (at === 0 ? n : 255)),
          'x',
        ),
      ),
    );
  compile(sets(32));
  assert.throws(() => compile(sets(33)), /more than 32 sets/);
});

test('a choice that looks ahead is two deep', () => {
  const nested = (depth: number) => tableOf(Array.from({ length: depth }).reduce<Item>((inner) => ahead(inner), 'x'));
  compile(nested(16));
  assert.throws(() => compile(nested(17)), /deeper than 32/);
  compile(tableOf(Array.from({ length: 32 }).reduce<Item>((inner) => not(inner), 'x')));
});
