import assert from 'node:assert/strict';
import { test } from 'node:test';
import { osloLines } from '../../../src/logship/bytes/line-format.ts';
import { SharedMemory } from '../../../src/logship/wasm/memory.ts';
import { Clock } from '../../../src/logship/time/clock.ts';
import { zoneNamed } from '../../../src/logship/time/zone.ts';

test('a context that ends with its line is not written beyond the buffer of that line', () => {
  const memory = SharedMemory.open()!;
  const format = osloLines('}', new Clock(zoneNamed('UTC')), memory);
  const chunk = memory.readBuffer(10_000)!;
  // What an earlier read left behind an unfinished line.
  chunk.fill('x');
  const end = chunk.write('2026-11-20 08:15:42.123 7 INFO nova [req-1');
  const to = memory.writeBuffer(10_000);
  to.fill('.');
  const [head, tail] = [memory.text(64), memory.text(64)];
  assert.equal(format.write(to, 0, chunk, 0, end, head, 1, tail, 1), 0);
  assert.equal(to.toString('latin1', 2048), '.'.repeat(to.length - 2048));
});
