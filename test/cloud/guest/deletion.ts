import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { temporary } from '../operations/operation.ts';
import { hostOf } from '../operations/server-moves.ts';
import { COMPUTE_NODES } from '../stage.ts';
import type { GuestOperation } from './operation.ts';
import { tracesOf, type Known } from './traces.ts';
import { servedNetwork, temporaryGuest, type GuestWorld } from './world.ts';

const ON_ITS_HOST = ['process', 'domain', 'directory or lock', 'device', 'port of the switch', 'flow'];

/** What a deleted guest had on the hosts is gone, and what its network and its router had. */
export const deletion: GuestOperation = {
  title: 'a guest, its network and its router are deleted: nothing of them is on the hosts',
  async run(world) {
    const { known, traces } = await passing(world);
    await until('nothing to be left', async (saw) => {
      const now = await tracesOf(world, known);
      saw(now);
      return now.length === 0 || undefined;
    });
    return `${traces.length} traces, then none: ${traces.join(', ')}`;
  },
};

/** A guest in a network and behind a router of its own, which are gone when this resolves; and what there was of them. */
async function passing(world: GuestWorld): Promise<{ known: Known; traces: readonly string[] }> {
  const { client } = world;
  await using network = await temporary(client, 'network', 'passing');
  const range = ['--network', network.id, '--subnet-range', '10.11.0.0/24'];
  await using subnet = await temporary(client, 'subnet', 'passing', ...range);
  await using router = await temporary(client, 'router', 'passing');
  await client.openstack('router', 'add', 'subnet', router.id, subnet.id);
  try {
    await servedNetwork(client, network.id);
    await using guest = await temporaryGuest(world, 'passing', '--network', network.id);
    const found = await client.get<{ port: { mac_address: string } }>('neutron', `/ports/${guest.port}`);
    const mac = found?.port.mac_address ?? assert.fail('the port is gone');
    const known = { server: guest.id, port: guest.port, mac, network: network.id, router: router.id };
    const traces = await tracesOf(world, known);
    const host = await hostOf(client, guest.id);
    // A trace that is not found while the guest runs would not be found afterwards either.
    for (const kind of ON_ITS_HOST) assert.ok(traces.includes(`${kind} on ${host}`), `${kind}: ${traces.join(', ')}`);
    assert.ok(traces.includes('image in vms'));
    assert.ok(COMPUTE_NODES.some((node) => traces.includes(`namespace on ${node}`)));
    return { known, traces };
  } finally {
    await client.openstack('router', 'remove', 'subnet', router.id, subnet.id);
  }
}
