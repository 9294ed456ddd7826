import assert from 'node:assert/strict';
import type { Ceph } from '../../cluster/ceph.ts';
import { until } from '../../support/until.ts';
import type { Client } from '../client.ts';
import { temporary, temporaryServer, type Temporary, type World } from '../operations/operation.ts';
import { COMPUTE_NODES, CONTROL_NODE, type Stage } from '../stage.ts';
import { hostOf } from '../operations/server-moves.ts';
import { REGISTRY } from '../images.ts';
import { podOn } from './pod-on.ts';
import type { MigrationTls } from './migration-tls.ts';
import { OUTSIDE_ADDRESS, OUTSIDE_NETWORK } from './cables.ts';

/** Where the client's Pod has the guest's image. */
export const IMAGE_PLACE = '/guest';
/** A Pod outside of the cloud: on the control node's network, from which floating addresses are reached. */
export const OUTSIDE_POD = 'outside';
/** The neutron agents of a compute node: switch, DHCP, routers, metadata. */
const AGENTS_PER_NODE = 4;

/** From this version of Nova's API on, a host can be asked for. */
export const ON_HOST: readonly string[] = ['--os-compute-api-version', '2.74'];

/** What operations on real guests work with, besides their image, flavors and network. */
export interface GuestWorld extends World {
  readonly external: string;
  readonly router: string;
  readonly subnet: string;
  /** Allows ICMP and the guests' ports 7 and 80. */
  readonly group: string;
  readonly storage: Ceph;
  /** Certificates of live migration. */
  readonly tls: MigrationTls;
  /** Runs a command outside of the cloud. */
  readonly outside: (...command: readonly string[]) => Promise<string>;
}

/** Creates what operations share, and starts the Pod outside. It is removed at the end. */
export async function setGuestBasis(
  stage: Stage,
  client: Client,
  storage: Ceph,
  tls: MigrationTls,
): Promise<GuestWorld & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const keep = async (made: Promise<Temporary>) => stack.use(await made).id;
  await agentsAlive(client);
  const form = ['--disk-format', 'raw', '--container-format', 'bare', '--public'];
  const image = await keep(temporary(client, 'image', 'guest', '--file', `${IMAGE_PLACE}/disk.raw`, ...form));
  const flavor = (name: string, ram: string) =>
    keep(temporary(client, 'flavor', name, '--ram', ram, '--disk', '1', '--vcpus', '1'));
  const [small, large] = [await flavor('guest.small', '128'), await flavor('guest.large', '160')];
  const provider = ['--provider-network-type', 'flat', '--provider-physical-network', 'physnet1'];
  const external = await keep(temporary(client, 'network', 'outside', '--external', ...provider));
  const range = ['--no-dhcp', '--subnet-range', OUTSIDE_NETWORK, '--gateway', OUTSIDE_ADDRESS];
  await keep(temporary(client, 'subnet', 'outside', '--network', external, ...range));
  const network = await keep(temporary(client, 'network', 'inside'));
  const subnet = await keep(
    temporary(client, 'subnet', 'inside', '--network', network, '--subnet-range', '10.9.0.0/24'),
  );
  const router = await keep(temporary(client, 'router', 'between'));
  await client.openstack('router', 'set', '--external-gateway', external, router);
  await client.openstack('router', 'add', 'subnet', router, subnet);
  stack.defer(async () => {
    await client.openstack('router', 'remove', 'subnet', router, subnet);
    await client.openstack('router', 'unset', '--external-gateway', router);
  });
  await servedNetwork(client, network);
  const group = await keep(temporary(client, 'securityGroup', 'guests'));
  const rule = (...words: readonly string[]) =>
    client.openstack('security', 'group', 'rule', 'create', ...words, group);
  await rule('--proto', 'icmp');
  for (const port of ['7', '80']) await rule('--proto', 'tcp', '--dst-port', port);
  await stage.kubectl(['apply', '--filename=-'], JSON.stringify(outsidePod(stage.release)));
  await stage.kubectl(['wait', '--for=condition=Ready', `pod/${OUTSIDE_POD}`, '--timeout=-1s']);
  const kept = stack.move();
  return {
    stage,
    client,
    basis: { image, small, large, network },
    external,
    router,
    subnet,
    group,
    storage,
    tls,
    outside: (...command) => stage.kubectl(['exec', OUTSIDE_POD, '--', ...command]),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Polls until no port waits for an agent to be bound: see binds.ts. */
export async function agentsAlive(client: Client): Promise<void> {
  await until('all agents of Neutron to be alive', async (saw) => {
    const found = await client.get<{ agents: readonly { binary: string; host: string; alive: boolean }[] }>(
      'neutron',
      '/agents',
    );
    const alive = found?.agents.filter((agent) => agent.alive).map(({ binary, host }) => `${binary} on ${host}`) ?? [];
    saw(alive);
    return alive.length >= AGENTS_PER_NODE * COMPUTE_NODES.length || undefined;
  });
}

/** Polls until a network's DHCP and its router are wired: a guest that asks earlier gives up after a while. */
export async function servedNetwork(client: Client, network: string): Promise<void> {
  await until(`DHCP and a router in network ${network}`, async (saw) => {
    const found = await client.get<{ ports: readonly PortState[] }>('neutron', `/ports?network_id=${network}`);
    const owners =
      found?.ports.flatMap(({ status, device_owner: owner }) => (status === 'ACTIVE' ? [owner] : [])) ?? [];
    saw(owners);
    return ['network:dhcp', 'network:router_interface'].every((owner) => owners.includes(owner)) || undefined;
  });
}

function outsidePod(release: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: OUTSIDE_POD },
    spec: {
      terminationGracePeriodSeconds: 1,
      nodeName: CONTROL_NODE,
      hostNetwork: true,
      containers: [
        {
          name: OUTSIDE_POD,
          // It has ping and curl.
          image: `${REGISTRY}/neutron-l3-agent:${release}`,
          command: ['sleep', 'infinity'],
          securityContext: { runAsUser: 0, capabilities: { add: ['NET_RAW'] } },
        },
      ],
    },
  };
}

/** A guest that runs, with its address. */
export interface Guest extends Temporary {
  readonly name: string;
  readonly address: string;
  readonly port: string;
}

/** Starts a guest in the group, and waits until its console says that it is ready. */
export async function temporaryGuest(world: GuestWorld, name: string, ...args: readonly string[]): Promise<Guest> {
  const { client } = world;
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await temporaryServer(world, name, '--security-group', world.group, ...args));
  const { ports } = (await client.get<{ ports: readonly PortState[] }>('neutron', `/ports?device_id=${server.id}`)) ?? {
    ports: [],
  };
  const [port] = ports;
  if (port === undefined) throw new Error(`${name} has no port`);
  await setTapUp(world, server.id, port.id);
  await consoleHas(client, server.id, / ready$/m);
  // It is ready without an address, too, and then says so.
  assert.match(await consoleOf(client, server.id), / lease \d/, `${name} has no address`);
  const kept = stack.move();
  return {
    id: server.id,
    name,
    address: port.fixed_ips[0]?.ip_address ?? '',
    port: port.id,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * With its datapath in user space Open vSwitch sets a flag of each new device itself, while libvirt sets the device up. In two of some
 * thirty guests the tap was then down, with that flag (Open vSwitch 3.5, libvirt 9.0).
 */
async function setTapUp({ stage, client }: GuestWorld, server: string, port: string): Promise<void> {
  const pod = await podOn(stage, await hostOf(client, server), 'neutron', 'openvswitch-vswitchd');
  await stage.kubectl(['exec', pod, '--', 'ip', 'link', 'set', `tap${port.slice(0, 11)}`, 'up']);
}

export interface PortState {
  readonly id: string;
  readonly status: string;
  readonly device_owner: string;
  readonly fixed_ips: readonly { readonly ip_address: string }[];
}

/** What the guest wrote to its console. */
export async function consoleOf(client: Client, id: string): Promise<string> {
  const reply = await client.post<{ output: string }>('nova', `/servers/${id}/action`, { 'os-getConsoleOutput': {} });
  return reply?.output.replaceAll('\r', '') ?? '';
}

/** Polls the console until it matches. Resolves with the match. */
export async function consoleHas(client: Client, id: string, wanted: RegExp): Promise<RegExpExecArray> {
  return await until(`the console of ${id} to have ${wanted}`, async (saw) => {
    const text = await consoleOf(client, id);
    saw(text.slice(-500));
    return wanted.exec(text) ?? undefined;
  });
}
