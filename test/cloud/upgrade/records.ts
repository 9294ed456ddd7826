import assert from 'node:assert/strict';
import type { Client } from '../client.ts';

interface ServiceRecord {
  readonly Binary: string;
  readonly Host: string;
  readonly State: string;
}

/** No record of a replaced Pod is left, which would be down for ever with the old version. */
export async function assertRecords(client: Client): Promise<string> {
  const lists = await Promise.all(
    ['compute', 'volume'].map(async (noun) => await client.json<ServiceRecord[]>(noun, 'service', 'list')),
  );
  const all = lists.flat();
  assert.ok(all.length > 0);
  const down = all.filter(({ State }) => State !== 'up');
  assert.deepEqual(down, []);
  return all.map(({ Binary, Host }) => `${Binary} at ${Host}`).join(', ');
}
