import { until } from '../../support/until.ts';
import { COMPUTE_NODES, type Stage } from '../stage.ts';
import type { Client } from '../client.ts';
import { temporary, type Temporary, type World } from './operation.ts';

/** Creates what operations share: an image, two flavors, a network. It is removed at the end. */
export async function setBasis(stage: Stage, client: Client): Promise<World & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const keep = async (made: Promise<Temporary>) => stack.use(await made).id;
  await client.exec('dd', 'if=/dev/urandom', 'of=/tmp/image', 'bs=1M', 'count=4', 'status=none');
  const form = ['--disk-format', 'raw', '--container-format', 'bare'];
  const image = await keep(temporary(client, 'image', 'basis', '--public', '--file', '/tmp/image', ...form));
  const flavor = (name: string, ram: string, disk: string) =>
    keep(temporary(client, 'flavor', name, '--ram', ram, '--disk', disk, '--vcpus', '1'));
  const [small, large] = [await flavor('basis.small', '256', '1'), await flavor('basis.large', '512', '2')];
  const network = await keep(temporary(client, 'network', 'basis', '--share'));
  await keep(temporary(client, 'subnet', 'basis', '--network', network, '--subnet-range', '10.9.0.0/24'));
  await discovered(client);
  const kept = stack.move();
  return {
    stage,
    client,
    basis: { image, small, large, network },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Nova's scheduler adds new compute nodes to their cell now and then (discover_hosts_in_cells_interval). */
async function discovered(client: Client): Promise<void> {
  await until('both compute nodes to be in their cell', async (saw) => {
    const found = await client.get<{ hypervisors: readonly { hypervisor_hostname: string }[] }>(
      'nova',
      '/os-hypervisors',
    );
    const names = found?.hypervisors.map(({ hypervisor_hostname: name }) => name) ?? [];
    saw(names);
    return names.length === COMPUTE_NODES.length || undefined;
  });
}
