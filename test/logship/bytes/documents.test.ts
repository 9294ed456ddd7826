import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMPILED, compiledLines } from '../../../build/wasm.ts';
import { assertSame, shipped } from './compared.ts';
import { hostileLog } from './hostile-log.ts';

test('the module is what its source compiles to', async () => {
  assert.equal(readFileSync(COMPILED, 'utf8'), await compiledLines());
});

const WAYS = (['kolla', 'ecs', 'raw'] as const).flatMap((schema) =>
  ['UTC', 'Europe/Berlin'].map((zone) => ({ schema, zone })),
);

for (const way of WAYS)
  test(`${way.schema}, ${way.zone}: hostile lines become the same documents from bytes as from strings`, async () => {
    const log = hostileLog(20_000, 7);
    const { fromBytes, documents } = await assertSame(log, way, log.length);
    if (way.schema === 'ecs') assert.equal(fromBytes, 0);
    else assert.ok(fromBytes > documents.length / 20, `${fromBytes} of ${documents.length}`);
  });

/** Boundaries within a character, a time, a context; a line or a few in a read. at-length.test.ts has all. */
const SIZES = [1, 2, 17, 64, 151, 300];

for (const schema of ['kolla', 'raw'] as const)
  test(`${schema}: they do with a few bytes between two reads`, async () => {
    const way = { schema, zone: 'UTC' };
    const log = hostileLog(12, 3);
    const strings = await shipped(log, { ...way, memory: undefined }, log.length);
    for (const size of SIZES) await assertSame(log, way, size, strings);
  });
