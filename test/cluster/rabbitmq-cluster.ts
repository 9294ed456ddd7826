/** A real cluster of RabbitMQ, each node on a host of its own in a private network (private-network.ts). */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inMemory, privateDirectory } from '../../tools/directory.ts';
import { startNetwork, type PrivateHost } from './private-network.ts';
import { startRabbitmq, type Rabbitmq, type RabbitmqOptions } from './rabbitmq.ts';

export interface ClusterNode extends PrivateHost {
  /** The broker that runs; undefined after `kill`. */
  readonly broker: Rabbitmq | undefined;
  /** Kills the broker. Its data stays. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it accepts logins. */
  start(): Promise<void>;
}

export interface RabbitmqCluster extends AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
}

export type ClusterOptions = Pick<RabbitmqOptions, 'version' | 'config'> & { readonly size?: number };

/** Starts a cluster whose nodes know each other. They log in guest from anywhere. */
export async function startRabbitmqCluster({
  size = 3,
  config = [],
  version,
}: ClusterOptions = {}): Promise<RabbitmqCluster> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await privateDirectory('rabbitmq-cluster', inMemory()));
  const { hosts } = stack.use(await startNetwork(size));
  const peers = hosts.map(({ address }, i) => `cluster_formation.classic_config.nodes.${i + 1} = rabbit@${address}`);
  const text = [
    'cluster_formation.peer_discovery_backend = classic_config',
    ...peers,
    'loopback_users = none',
    ...config,
  ];
  const nodes = hosts.map((host): ClusterNode => {
    const directory = join(path, host.address);
    let broker: Rabbitmq | undefined;
    const node = {
      ...host,
      get broker() {
        return broker;
      },
      async kill() {
        await broker?.[Symbol.asyncDispose]();
        broker = undefined;
      },
      async start() {
        await mkdir(directory, { recursive: true });
        const versioned = version === undefined ? {} : { version };
        broker = await startRabbitmq({ ...versioned, host: { ...host, directory }, management: true, config: text });
      },
    };
    stack.defer(() => node.kill());
    return node;
  });
  await Promise.all(nodes.map((node) => node.start()));
  const moved = stack.move();
  return { nodes, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}
