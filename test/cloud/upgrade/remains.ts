import { goneFrom, type Api, type Client } from '../client.ts';

/** What the load creates, in the order in which it can be deleted. */
const KINDS: readonly (readonly [noun: string, api: Api, path: string])[] = [
  ['stack', 'heat', '/stacks'],
  ['server', 'nova', '/servers'],
  ['volume', 'cinder', '/volumes'],
  ['image', 'glance', '/images'],
];
const NAME = 'load';

/** Deletes what interrupted operations of the load left, as their user would. @returns how many of each kind */
export async function removeRemains(client: Client): Promise<string> {
  const counts: string[] = [];
  for (const [noun, api, path] of KINDS) {
    const all = await client.json<Record<string, string>[]>(noun, 'list');
    const left = all
      .filter((row) => (row['Name'] ?? row['Stack Name'] ?? '').startsWith(NAME))
      .map((row) => row['ID'] ?? '');
    for (const id of left) {
      await client.openstack(noun, 'delete', ...(noun === 'stack' ? ['--yes', '--wait'] : []), id);
      if (noun !== 'stack') await goneFrom(client, api, `${path}/${id}`);
    }
    counts.push(`${left.length} × ${noun}`);
  }
  return counts.join(', ');
}
