import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { eachLine } from '../../src/process/lines.ts';

async function linesOf(...chunks: Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  await eachLine(Readable.from(chunks, { objectMode: false }), (line) => lines.push(line));
  return lines;
}

test('lines are complete, even across chunks and without a final newline', async () => {
  assert.deepEqual(await linesOf(Buffer.from('a\nb'), Buffer.from('c\r\n\nd')), ['a', 'bc', '', 'd']);
});

test('a character across two chunks stays whole', async () => {
  const bytes = Buffer.from('é\n');
  assert.deepEqual(await linesOf(bytes.subarray(0, 1), bytes.subarray(1)), ['é']);
});

test('an endless line is split, without loss', async () => {
  const lines = await linesOf(Buffer.alloc(50_000, 'x'));
  assert.ok(lines.every((line) => line.length <= 16_384));
  assert.equal(lines.join('').length, 50_000);
});

test('a secret across a split is hidden', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  for (let before = 16_384 - secret.length - 1; before <= 16_384 + 1; before++) {
    const line = Buffer.from(`${'x'.repeat(before)}${secret}${'y'.repeat(20_000)}`);
    for (const chunk of [line.length, 1000]) {
      const shown: string[] = [];
      const pieces = Array.from({ length: Math.ceil(line.length / chunk) }, (_, n) =>
        line.subarray(n * chunk, (n + 1) * chunk),
      );
      await eachLine(
        Readable.from(pieces, { objectMode: false }),
        (text) => shown.push(text),
        (text) => text.replaceAll(secret, '***'),
      );
      assert.equal(shown.join(''), `${'x'.repeat(before)}***${'y'.repeat(20_000)}`);
      assert.ok(shown.every((text) => text.length <= 16_384));
    }
  }
});
