import assert from 'node:assert/strict';
import type { Client } from '../client.ts';

/** Every kind of object that operations create, by the client's listing. */
const LISTINGS = [
  ['server', 'list', '--all-projects'],
  ['volume', 'list', '--all-projects'],
  ['volume', 'snapshot', 'list', '--all-projects'],
  ['image', 'list'],
  ['flavor', 'list', '--all'],
  ['network', 'list'],
  ['subnet', 'list'],
  ['router', 'list'],
  ['port', 'list'],
  ['floating', 'ip', 'list'],
  ['security', 'group', 'list'],
  ['stack', 'list'],
  ['project', 'list'],
  ['user', 'list'],
  ['resource', 'provider', 'list'],
] as const;

/** Neutron makes a project's default group when a user of the project, such as Nova, first asks for one. */
function isByItself(kind: string, row: Record<string, string>): boolean {
  return kind === 'security group' && row['Name'] === 'default';
}

/** The IDs of all objects, by kind. */
export async function inventory(client: Client): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, string[]> = {};
  for (const words of LISTINGS) {
    const rows = await client.json<Record<string, string>[]>(...words);
    const kind = words.slice(0, words.indexOf('list')).join(' ');
    const made = rows.filter((row) => !isByItself(kind, row));
    found[kind] = made.map((row) => row['ID'] ?? row['uuid'] ?? '').toSorted();
  }
  return found;
}

/** Rejects with the objects that appeared or vanished since the inventory `before`. @returns the number of objects */
export async function assertNothingLeft(
  client: Client,
  before: Awaited<ReturnType<typeof inventory>>,
): Promise<string> {
  const after = await inventory(client);
  assert.deepEqual(after, before);
  return `${Object.values(after).flat().length} objects of ${LISTINGS.length} kinds, as before`;
}
