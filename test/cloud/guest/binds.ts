import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import type { Client } from '../client.ts';
import { temporary } from '../operations/operation.ts';
import { COMPUTE_NODES, type Stage } from '../stage.ts';
import type { GuestOperation } from './operation.ts';
import { agentsAlive, temporaryGuest, type PortState } from './world.ts';

const AGENT = 'daemonset/neutron-openvswitch-agent';
const LABELS = {
  agent: 'app.kubernetes.io/name=neutron,app.kubernetes.io/component=openvswitch-agent',
  compute: 'app.kubernetes.io/name=nova-compute,app.kubernetes.io/component=compute',
} as const;

/** As after the start of a node whose switch's agent is late: its DHCP port can't be bound, and nova-compute waits. */
export const binds: GuestOperation = {
  title: "a node's agents are late: nova-compute waits for them, and a port that could not be bound is",
  async run({ stage, client, ...world }) {
    const { kubectl } = stage;
    await kubectl(['set', 'image', AGENT, '*=none.example/none:none']);
    try {
      await kubectl(['delete', 'pods', '--selector', LABELS.agent]);
      await conditionsOf(stage, 'agent', 'Ready', 'False');
      await until("Neutron to see no switch's agent", async (saw) => {
        const alive = await aliveSwitches(client);
        saw(alive);
        return alive === 0 || undefined;
      });
      await kubectl(['delete', 'pods', '--selector', LABELS.compute]);
      await using network = await temporary(client, 'network', 'early');
      const range = ['--network', network.id, '--subnet-range', '10.11.0.0/24'];
      await using _ = await temporary(client, 'subnet', 'early', ...range);
      await dhcpPort(client, network.id, ({ 'binding:vif_type': type }) => type === 'binding_failed');
      await conditionsOf(stage, 'compute', 'Initialized', 'False');

      await kubectl(['rollout', 'undo', AGENT]);
      await dhcpPort(client, network.id, (port) => port['binding:vif_type'] === 'ovs' && port.status === 'ACTIVE');
      await agentsAlive(client);
      await kubectl(['rollout', 'status', 'daemonset/nova-compute', '--timeout=10m']);
      await using guest = await temporaryGuest({ stage, client, ...world }, 'early', '--network', network.id);
      return `nova-compute of ${COMPUTE_NODES.length} nodes did not start before; ${guest.address} was leased by the port`;
    } finally {
      await restored(stage);
      await agentsAlive(client);
    }
  },
};

async function aliveSwitches(client: Client): Promise<number> {
  const found = await client.get<{ agents: readonly { binary: string; alive: boolean }[] }>('neutron', '/agents');
  assert.ok(found);
  return found.agents.filter(({ binary, alive }) => alive && binary === 'neutron-openvswitch-agent').length;
}

interface BoundPort extends PortState {
  readonly 'binding:vif_type': string;
}

/** Polls until a network's DHCP port is as wanted. */
async function dhcpPort(client: Client, network: string, isWanted: (port: BoundPort) => boolean): Promise<void> {
  await until(`the DHCP port of ${network}`, async (saw) => {
    const found = await client.get<{ ports: readonly BoundPort[] }>(
      'neutron',
      `/ports?network_id=${network}&device_owner=network:dhcp`,
    );
    saw(found?.ports.map((port) => `${port.status} ${port['binding:vif_type']}`));
    return found?.ports.some(isWanted) || undefined;
  });
}

/** Polls until all Pods of a workload, one on each compute node, have a condition. */
async function conditionsOf({ kubectl }: Stage, which: keyof typeof LABELS, type: string, is: string): Promise<void> {
  const path = `{.items[*].status.conditions[?(@.type=="${type}")].status}`;
  await until(`${type}=${is} of each ${which}`, async (saw) => {
    const found = await kubectl(['get', 'pods', '--selector', LABELS[which], `--output=jsonpath=${path}`]);
    saw(found);
    return found === COMPUTE_NODES.map(() => is).join(' ') || undefined;
  });
}

/** The agent's image, unless the operation has put it back. */
async function restored({ kubectl }: Stage): Promise<void> {
  const image = await kubectl(['get', AGENT, '--output=jsonpath={.spec.template.spec.containers[*].image}']);
  if (image.includes('none.example')) await kubectl(['rollout', 'undo', AGENT]);
}
