import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../src/core/log.ts';
import { leastMemory, Memory } from '../../src/logship/memory.ts';

const MIB = 1024 * 1024;
const LEAST = 3 * MIB;

function memory(options: { bytes?: number; destinations?: number; inFlightBytes?: number } = {}) {
  const warnings: string[] = [];
  const log = { warn: (text: string) => warnings.push(text) } as unknown as Log;
  const all = { bytes: 32 * MIB, destinations: 1, inFlightBytes: undefined, least: LEAST, log, ...options };
  return { memory: new Memory(all), warnings };
}

test('lines in flight have what the process and its files leave', () => {
  const one = memory();
  const [none, some] = [one.memory.inFlight(0), one.memory.inFlight(1000)];
  assert.ok(none > 12 * MIB && none < 24 * MIB, `${none}`);
  assert.ok(some < none - 3 * MIB && some > LEAST, `${some}`);
  assert.deepEqual(one.warnings, []);
});

test('several destinations share it, and each has files of its own', () => {
  const [one, two] = [memory(), memory({ destinations: 2 })];
  assert.ok(Math.abs(one.memory.inFlight(0) - 2 * two.memory.inFlight(0)) <= 2);
  assert.ok(two.memory.inFlight(500) < two.memory.inFlight(0));
});

test('what is kept of the generations of files is counted, up to its bound', () => {
  const { memory: one } = memory({ bytes: 64 * MIB });
  const [none, few, many] = [one.inFlight(0), one.inFlight(100), one.inFlight(200)];
  assert.ok(none - few > few - many + MIB, `${none}, ${few}, ${many}`);
});

test('thousands of files leave the least, and one warning says what they need', () => {
  const { memory: many, warnings } = memory();
  assert.equal(many.inFlight(10_000), LEAST);
  assert.equal(many.inFlight(10_001), LEAST);
  assert.equal(warnings.length, 1);
  const needed = /^10000 files and .* need about (\d+) MiB: --memory is 32 MiB$/.exec(warnings[0] ?? '')?.[1];
  const enough = memory({ bytes: Number(needed) * MIB });
  assert.ok(enough.memory.inFlight(10_000) >= LEAST);
  assert.deepEqual(enough.warnings, []);
});

test('a limit of lines in flight is that, whatever the memory', () => {
  const { memory: given } = memory({ inFlightBytes: 50 * MIB, destinations: 2 });
  assert.equal(given.inFlight(10_000), 25 * MIB);
});

test('the least memory is enough for the least lines in flight', () => {
  for (const destinations of [1, 2, 5]) {
    const { memory: least, warnings } = memory({ bytes: leastMemory(destinations, LEAST), destinations });
    assert.equal(least.inFlight(0), LEAST);
    assert.deepEqual(warnings, []);
  }
});
