import { ANY, bytesOf, DARK, DIGIT, WORD } from '../../../src/logship/tables/byte-set.ts';
import {
  ahead,
  as,
  bad,
  either,
  eol,
  epoch,
  fail,
  is,
  json,
  many,
  maybe,
  named,
  not,
  pairs,
  place,
  put,
  quoted,
  rest,
  run,
  time,
  to,
  toEnd,
  toLast,
  within,
  type Item,
  type LinePlace,
  type Table,
} from '../../../src/logship/tables/items.ts';

const SETS = [ANY, DARK, DIGIT, WORD, bytesOf(' '), bytesOf('ab')];
const NAMES = ['a', 'b', 'c', 'd'];
const TEXTS = ['a', ' ', '[', '"', 'ab', '2026', 'é'];
const LAYOUTS = [
  'Y-m-d H:M:Sf',
  'ymd h:N:s',
  'b e H:M:S',
  'd/b/Y:H:M:S Z',
  'md H:M:SF',
  'Y/n/e_h:N:sa',
  'Y-m-dTH:M:SFU',
  'S',
  'c',
];
const PLACES: readonly LinePlace[] = ['alone', 'begins', 'follows', 'resumes', 'opens'];
const MAX_DEPTH = 4;

type Random = (below: number) => number;

/** A table of items at random, all of whose captures are set somewhere. It may be one that cannot be compiled. */
export function randomTable(random: Random): Table {
  const pick = <T>(all: readonly T[]): T => all[random(all.length)]!;
  const items = (depth: number): Item[] => Array.from({ length: 1 + random(4) }, () => item(depth));
  const item = (depth: number): Item => {
    const isDeep = depth >= MAX_DEPTH;
    switch (random(isDeep ? 14 : 21)) {
      case 0:
      case 1:
        return pick(TEXTS);
      case 2:
        return run(pick(SETS), random(3), pick([1, 4, 255]));
      case 3:
        return to(pick(TEXTS));
      case 4:
        return toLast(pick(SETS), pick([' ', 'a', ']']));
      case 5:
        return quoted(pick(['"', ']']));
      case 6:
        return toEnd(pick([undefined, '"']));
      case 7:
        return pick([eol(), bad(), fail(), epoch()]);
      case 8:
        return time(pick(LAYOUTS), pick(['unreadable', 'undated', 'fails']));
      case 9:
        return put(pick(NAMES), pick(TEXTS));
      case 10:
        return named(pick(NAMES), pick(NAMES), { shift: random(4), mask: 7, names: ['x', 'y', 'z'] });
      case 11:
        return is(pick(NAMES), 'a', 'ab');
      case 12:
        return place(pick(PLACES));
      case 13:
        return pick([json({ a: 'a', b: 'b' }), pairs(1 + random(4), { a: 'a', é: 'c' })]);
      case 14:
        return either(...Array.from({ length: random(4) }, () => items(depth + 1)));
      case 15:
        return many(random(5), ...items(depth + 1));
      case 16:
        return not(...items(depth + 1));
      case 17:
        return ahead(...items(depth + 1));
      case 18:
        return within(pick(NAMES), ...items(depth + 1));
      case 19:
        return maybe(...items(depth + 1));
      default:
        return as(pick(NAMES), ...items(depth + 1));
    }
  };
  return {
    name: 'random',
    otherwise: pick(PLACES),
    process: 'a',
    same: ['b'],
    goesOn: bytesOf(' '),
    trace: pick(['lines', 'from']),
    // Sets all captures, without any effect.
    line: [not(...NAMES.map((name) => as(name)), fail()), ...items(0), rest('p')],
  };
}

/** Pieces of lines that random tables look at. */
const PIECES = [
  ...TEXTS,
  '-',
  ' 08:15:42.123',
  '2026-11-20 08:15:42',
  '20/Nov/2026:08:15:42 +0100',
  'Nov 20 08:15:42',
  '1795162542123',
  '{"a":1,"b":"x"}',
  'a=b ',
  '\\',
  '\u0000',
  '日',
];

/** A line of such pieces and of any bytes. */
export function randomLine(random: Random): Buffer {
  const parts = Array.from({ length: random(12) }, () =>
    random(8) === 0 ? Buffer.of(random(256)) : Buffer.from(PIECES[random(PIECES.length)]!),
  );
  return Buffer.from(Buffer.concat(parts).filter((byte) => byte !== 10));
}
