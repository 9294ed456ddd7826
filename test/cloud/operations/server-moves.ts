import assert from 'node:assert/strict';
import { COMPUTE_NODES } from '../stage.ts';
import { stateOf, type Client } from '../client.ts';
import { temporaryServer, type Operation } from './operation.ts';
import type { ServerState } from './server-life.ts';

/** The host that runs a server. */
export async function hostOf(client: Client, id: string): Promise<string> {
  const reply = await client.get<{ server: ServerState }>('nova', `/servers/${id}`);
  return reply?.server['OS-EXT-SRV-ATTR:host'] ?? assert.fail(`server ${id} is gone`);
}

/** The other compute node. */
export function otherThan(host: string): string {
  return COMPUTE_NODES.find((name) => name !== host) ?? assert.fail(`${host} is the only compute node`);
}

export const serverMoves: Operation = {
  title: 'server migrated cold and live between the compute nodes',
  async run(world) {
    const { client } = world;
    await using server = await temporaryServer(world, 'moved');
    const path = `/servers/${server.id}`;
    const hosts = [await hostOf(client, server.id)];
    await client.openstack('server', 'migrate', '--wait', server.id);
    await client.openstack('server', 'migration', 'confirm', server.id);
    await stateOf(client, 'nova', path, 'ACTIVE');
    hosts.push(await hostOf(client, server.id));
    await client.openstack('server', 'migrate', '--live-migration', '--wait', server.id);
    await stateOf(client, 'nova', path, 'ACTIVE');
    hosts.push(await hostOf(client, server.id));
    const [first = ''] = hosts;
    assert.deepEqual(hosts, [first, otherThan(first), first]);
    return hosts.join(' → ');
  },
};
