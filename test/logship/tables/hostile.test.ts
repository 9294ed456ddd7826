import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../../src/logship/tables/compile.ts';
import { capturesOf } from '../../../src/logship/tables/captures.ts';
import { ANY } from '../../../src/logship/tables/byte-set.ts';
import { either, many, maybe, rest, run, to, type Item, type Table } from '../../../src/logship/tables/items.ts';
import { RowKind, type Layout } from '../../../src/logship/tables/layout.ts';
import { ReferenceTable } from '../../../src/logship/tables/reference/table.ts';
import { zoneTableNamed } from '../../../src/logship/time/zone-table.ts';
import { numbersFrom } from '../../support/random.ts';
import { randomLine, randomTable } from './random-table.ts';

const UTC = zoneTableNamed('UTC');
const TABLES = 500;
const LINES = 20;

/** Every capture under every kind of row that takes any text. */
function layoutOf(table: Table): Layout {
  const kinds = [RowKind.text, RowKind.number, RowKind.shifted, RowKind.withoutPrefix];
  const rows = capturesOf(table).flatMap((capture) =>
    kinds.map((kind) => ({ kind, capture, key: `,"${capture}${kind}":`, shift: 3, prefix: 'a' })),
  );
  const trace = { kind: RowKind.trace, capture: undefined, key: ',"trace":' };
  return { isRaw: false, rows: [...rows, trace], before: ',"whole":"', after: '"', tail: ',"end":1}' };
}

test('no table and no line at random makes an exception or a document that is not JSON', () => {
  const random = numbersFrom(49);
  const into = Buffer.alloc(1 << 20);
  let [matched, compiled] = [0, 0];
  for (let n = 0; n < TABLES; n++) {
    const table = randomTable(random);
    try {
      compile(table);
      compiled++;
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
      continue;
    }
    const reference = new ReferenceTable(table, layoutOf(table), UTC);
    for (let m = 0; m < LINES; m++) {
      const line = randomLine(random);
      const { timeMs } = reference.place(line, NaN, 0, randomLine(random));
      assert.ok(Number.isNaN(timeMs) || Math.abs(timeMs) <= 8.64e15);
      reference.resumes(line, line);
      const text = Buffer.concat([line, Buffer.from('\n'), randomLine(random)]);
      const document = into.toString('utf8', 0, reference.document(into, 0, text, 0, true));
      const { end, whole } = JSON.parse(document) as { end: number; whole?: string };
      assert.equal(end, 1);
      if (whole === undefined) matched++;
      else assert.equal(whole, text.toString());
    }
  }
  assert.ok(compiled > TABLES / 2, `${compiled} compiled`);
  assert.ok(matched > TABLES, `${matched} matched`);
});

// With backtracking this would never end.
test('choices and runs cost a line at most its length each', () => {
  const any: Item = run(ANY, 0);
  const searches = Array.from({ length: 20 }, () => many(20, to('a'), maybe('ab', any), 'a'));
  const line = Buffer.from('a'.repeat(100_000));
  const layout = { isRaw: false, rows: [], before: ',"whole":"', after: '"', tail: '}' };
  for (const items of [searches, [either([any, any, 'x'], [any, 'y'], [rest('p')])]]) {
    const reference = new ReferenceTable({ name: 't', otherwise: 'alone', line: items }, layout, UTC);
    assert.equal(reference.place(line, NaN, 0, undefined).pid, 0);
  }
});
