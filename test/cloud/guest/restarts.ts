import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import type { GuestOperation } from './operation.ts';
import { floatingTo } from './floating.ts';
import { pingedDuring, pingText } from './ping.ts';
import { consoleOf, temporaryGuest, type GuestWorld } from './world.ts';

/** The workloads of a compute node by chart, in the order in which they are replaced, and the DaemonSet of each. */
const WORKLOADS = [
  ['nova-compute', 'compute', 'nova-compute'],
  ['nova-compute', 'libvirt', 'nova-libvirt'],
  ['neutron', 'metadata-agent', 'neutron-metadata-agent'],
  ['neutron', 'dhcp-agent', 'neutron-dhcp-agent'],
  ['neutron', 'openvswitch-agent', 'neutron-openvswitch-agent'],
  ['neutron', 'l3-agent', 'neutron-l3-agent'],
  ['neutron', 'openvswitch-db', 'neutron-openvswitch-db'],
  ['neutron', 'openvswitch-vswitchd', 'neutron-openvswitch-vswitchd'],
] as const;

/** A guest runs on, and is reached, while each workload of the compute nodes is replaced on all of them at once. */
export const restarts: GuestOperation = {
  title: 'a guest runs on while the Pods of its node are replaced',
  async run(world) {
    await using guest = await temporaryGuest(world, 'lasting');
    await using floating = await floatingTo(world, guest.port);
    await answers(world, floating.address);
    const seen: string[] = [];
    for (const [chart, component, daemonSet] of WORKLOADS) {
      const pinged = await pingedDuring(world, floating.address, async () => {
        await replaced(world, chart, component, daemonSet);
        await answers(world, floating.address);
      });
      seen.push(`${daemonSet}: ${pingText(pinged)}`);
    }
    const renewals = async () => (await consoleOf(world.client, guest.id)).match(/ lease renewed /g)?.length ?? 0;
    const before = await renewals();
    await until('the lease to be renewed', async () => (await renewals()) > before || undefined);
    const boots = (await consoleOf(world.client, guest.id)).match(/^guest: [\d.]+ init /gm)?.length;
    assert.equal(boots, 1, 'the guest has started again');
    return `0 restarts of the guest, its lease renewed afterwards; ${seen.join('; ')}`;
  },
};

async function answers({ outside }: GuestWorld, address: string): Promise<void> {
  await until(`${address} to answer`, () => outside('ping', '-c', '1', '-W', '1', address).catch(() => undefined));
}

/** Deletes a workload's Pods, and waits for the new ones to be ready. */
async function replaced({ stage }: GuestWorld, chart: string, component: string, daemonSet: string): Promise<void> {
  const labels = `app.kubernetes.io/name=${chart},app.kubernetes.io/component=${component}`;
  await stage.kubectl(['delete', 'pods', '--selector', labels, '--wait=true']);
  await stage.kubectl(['rollout', 'status', `daemonset/${daemonSet}`, '--timeout=10m']);
}
