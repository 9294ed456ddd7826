import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMPILED, compiledLines } from '../../../build/wasm.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { startBulkSink } from '../../support/bulk-sink.ts';
import { runHelper } from '../../support/helper.ts';
import { assertSame, shipped } from './compared.ts';
import { hostileLog } from './hostile-log.ts';

test('the WebAssembly module is what its source compiles to', async () => {
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

/**
 * Bytes between two reads: reads then end within a character, a time or a context, or contain one or a few lines.
 * at-length.test.ts has all sizes.
 */
const SIZES = [1, 2, 17, 64, 151, 300];

for (const schema of ['kolla', 'raw'] as const)
  test(`${schema}: hostile lines become the same documents when a few bytes separate two reads`, async () => {
    const way = { schema, zone: 'UTC' };
    const log = hostileLog(12, 3);
    const strings = await shipped(log, { ...way, memory: undefined }, log.length);
    for (const size of SIZES) await assertSame(log, way, size, strings);
  });

test('a zone behind the time of a raw line counts, from bytes as from strings', async () => {
  const log = ['Z', '+02:00', '+02', ' +0200', ' UTC', ' GMT x', ' x', '']
    .map((zone) => `2026-11-20 08:15:42.123${zone}\n`)
    .join('');
  const { documents } = await assertSame(Buffer.from(log), { schema: 'raw', zone: '-01:00' }, log.length);
  assert.deepEqual(
    documents.map((text) => /"@timestamp":"[^T]*T(\d\d)/.exec(text)?.[1]),
    ['08', '06', '06', '06', '08', '08', '09', '09'],
  );
});

test('an engine without WebAssembly ships the same documents', async () => {
  await using logs = await privateDirectory('bytes');
  const file = join(logs.path, 'nova-api.log');
  await writeFile(file, hostileLog(500, 5));
  const shippedWith = async (nodeOptions: string) => {
    await using sink = await startBulkSink();
    await using state = await privateDirectory('bytes-state');
    const where = ['--url', sink.url, '--root', logs.path, '--state', state.path];
    const args = [...where, '--once', '--timezone', 'UTC', '--hostname', 'h', file];
    const { code, stderr } = await runHelper('kolla-log-ship', args, { env: { NODE_OPTIONS: nodeOptions } });
    assert.equal(code, 0, stderr);
    return (await sink.documents()).map(({ _index, _source }) => JSON.stringify({ _index, _source })).toSorted();
  };
  const documents = await shippedWith('');
  assert.ok(documents.length > 0);
  assert.deepEqual(await shippedWith('--jitless'), documents);
});
