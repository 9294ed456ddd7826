import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../../src/wait/board.ts';
import { tableLines } from '../../src/wait/table.ts';

const row = (text: string, more: Partial<Row> = {}): Row => ({
  text,
  began: 0,
  since: 1000,
  state: 'does not exist yet',
  isMet: false,
  ...more,
});

test('each dependency is one line: whether it is ready, since when, and why', () => {
  const lines = tableLines(
    [row('file:/a'), row('tcp://b:1', { isMet: true, state: 'accepts connections', since: 65_000 })],
    11_500,
    {
      columns: 80,
      lines: 10,
    },
  );
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['waiting  file:/a       10s  does not exist yet', 'ready    tcp://b:1   1m05s  accepts connections'],
  );
});

test('with too little space, pending dependencies are shown first, with the number of the others', () => {
  const rows = [...Array.from({ length: 5 }, (_, i) => row(`met-${i}`, { isMet: true })), row('open')];
  const lines = tableLines(rows, 2000, { columns: 80, lines: 3 });
  assert.equal(lines.length, 3);
  assert.match(lines[0]?.text ?? '', /^waiting {2}open/);
  assert.equal(lines[2]?.text, '... and 4 more; 5 of 6 ready');
});

test('a long name is truncated in the middle, leaving half of the line for the reason', () => {
  const [line] = tableLines([row(`job/${'x'.repeat(100)}-db-sync`)], 2000, { columns: 60, lines: 3 });
  assert.equal(line?.text, 'waiting  job/xxxxx...-db-sync      1s  does not exist yet');
});
