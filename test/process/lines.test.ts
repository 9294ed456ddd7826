import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { eachLine } from '../../src/process/lines.ts';

async function linesOf(...chunks: Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  await eachLine(Readable.from(chunks, { objectMode: false }), (line) => lines.push(line));
  return lines;
}

test('lines come whole, also over chunks and without a last line end', async () => {
  assert.deepEqual(await linesOf(Buffer.from('a\nb'), Buffer.from('c\r\n\nd')), ['a', 'bc', '', 'd']);
});

test('a character over two chunks stays whole', async () => {
  const bytes = Buffer.from('é\n');
  assert.deepEqual(await linesOf(bytes.subarray(0, 1), bytes.subarray(1)), ['é']);
});

test('a line without end is cut, and nothing of it lost', async () => {
  const lines = await linesOf(Buffer.alloc(50_000, 'x'));
  assert.ok(lines.every((line) => line.length <= 16_384));
  assert.equal(lines.join('').length, 50_000);
});
