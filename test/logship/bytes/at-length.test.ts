import { test } from 'node:test';
import { assertSame, shipped } from './compared.ts';
import { hostileLog } from './hostile-log.ts';

for (const schema of ['kolla', 'raw'] as const) {
  test(`${schema}: hostile lines become the same documents from bytes at every read size up to 300 bytes`, async () => {
    const way = { schema, zone: 'UTC' };
    const log = hostileLog(12, 3);
    const strings = await shipped(log, { ...way, memory: undefined }, log.length);
    for (let size = 1; size <= 300; size++) await assertSame(log, way, size, strings);
  });

  for (let seed = 1; seed <= 10; seed++)
    test(`${schema}: 20,000 hostile lines become the same documents from bytes, seed ${seed}`, async () => {
      const log = hostileLog(20_000, seed);
      await assertSame(log, { schema, zone: 'Europe/Berlin' }, 100_000 + seed);
    });
}
