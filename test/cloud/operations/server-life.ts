import assert from 'node:assert/strict';
import { stateOf } from '../client.ts';
import { temporaryServer, type Operation } from './operation.ts';

export const serverLife: Operation = {
  title: 'server created, stopped, started, rebooted, rebuilt, resized, deleted',
  async run(world) {
    const { client, basis } = world;
    await using server = await temporaryServer(world, 'life');
    const path = `/servers/${server.id}`;
    const one = async () =>
      (await client.get<{ server: ServerState }>('nova', path))?.server ?? assert.fail('the server is gone');
    const [port] = (await client.get<{ ports: PortState[] }>('neutron', `/ports?device_id=${server.id}`))?.ports ?? [];
    assert.equal(port?.status, 'ACTIVE');
    await client.openstack('server', 'stop', server.id);
    await stateOf(client, 'nova', path, 'SHUTOFF');
    await client.openstack('server', 'start', server.id);
    await stateOf(client, 'nova', path, 'ACTIVE');
    await client.openstack('server', 'reboot', '--wait', server.id);
    await client.openstack('server', 'reboot', '--hard', '--wait', server.id);
    await client.openstack('server', 'rebuild', '--wait', '--name', 'rebuilt', server.id);
    assert.equal((await one()).name, 'rebuilt');
    await client.openstack('server', 'resize', '--wait', '--flavor', basis.large, server.id);
    await client.openstack('server', 'resize', 'confirm', server.id);
    await stateOf(client, 'nova', path, 'ACTIVE');
    const { flavor, status } = await one();
    assert.deepEqual([flavor.original_name, status], ['basis.large', 'ACTIVE']);
    return `on ${(await one())['OS-EXT-SRV-ATTR:host']}`;
  },
};

export interface ServerState {
  readonly name: string;
  readonly status: string;
  readonly flavor: { readonly original_name: string };
  readonly 'OS-EXT-SRV-ATTR:host': string;
}

interface PortState {
  readonly id: string;
  readonly status: string;
}
