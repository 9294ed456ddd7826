/**
 * The faults of `make chaos`. Each affects one part of the cloud, once or for a minute.
 */
import { setTimeout } from 'node:timers/promises';
import { killContainer } from '../../cluster/kubernetes/index.ts';
import { oneOf } from '../../support/random.ts';
import { podsOf } from '../install.ts';
import { COMPUTE_NODES, type Stage } from '../stage.ts';
import { emptyLogVolume, fillLogVolume } from './log-volume.ts';

/** How long a state lasts: longer than Kubernetes needs to notice that a node is gone. */
const LASTS_MS = 60_000;
const INFRASTRUCTURE = /^(?:mariadb|rabbitmq|memcached)-/;
const NODE_TAINT = 'kolla-pod.test/chaos:NoExecute';

export interface Fault {
  readonly name: string;
  /** Faults of one part are not combined. */
  readonly part: 'pod' | 'node' | 'api' | 'database' | 'queue' | 'cache' | 'index' | 'logs';
  /** Resolves when it is over. @returns what was hit */
  strike(stage: Stage, random: () => number): Promise<string>;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'Pod deleted',
    part: 'pod',
    async strike(stage, random) {
      const pod = await servicePod(stage, random);
      await stage.kubectl(['delete', `pod/${pod}`, '--wait=false']);
      return pod;
    },
  },
  {
    name: 'container killed',
    part: 'pod',
    async strike(stage, random) {
      const pod = await servicePod(stage, random);
      await killContainer(stage.kubectl, pod);
      return pod;
    },
  },
  {
    name: 'kubelet frozen',
    part: 'node',
    async strike(stage, random) {
      const [name, node] = oneOf(random, [...stage.node.further]);
      await node.signalKubelet('SIGSTOP');
      await lasting(() => node.signalKubelet('SIGCONT'));
      return name;
    },
  },
  {
    name: 'node cut off',
    part: 'node',
    async strike(stage, random) {
      const [name, node] = oneOf(random, [...stage.node.further]);
      await node.setCable('down');
      await lasting(() => node.setCable('up'));
      return name;
    },
  },
  {
    name: 'node power-cycled',
    part: 'node',
    async strike(stage, random) {
      const [name, node] = oneOf(random, [...stage.node.further]);
      await node.powerCycle();
      return name;
    },
  },
  {
    name: 'node drained',
    part: 'node',
    async strike(stage, random) {
      const name = oneOf(random, COMPUTE_NODES);
      await stage.kubectl(['drain', name, '--ignore-daemonsets', '--delete-emptydir-data', '--force']);
      await lasting(() => stage.kubectl(['uncordon', name]));
      return name;
    },
  },
  {
    name: 'node tainted NoExecute',
    part: 'node',
    async strike(stage, random) {
      const name = oneOf(random, COMPUTE_NODES);
      await stage.kubectl(['taint', 'node', name, NODE_TAINT]);
      await lasting(() => stage.kubectl(['taint', 'node', name, `${NODE_TAINT}-`]));
      return name;
    },
  },
  {
    name: 'API server killed',
    part: 'api',
    async strike(stage) {
      await stage.node.restartApiServer();
      return 'kube-apiserver';
    },
  },
  {
    name: 'API server frozen',
    part: 'api',
    async strike(stage) {
      await stage.node.signalApiServer('SIGSTOP');
      await lasting(() => stage.node.signalApiServer('SIGCONT'));
      return 'kube-apiserver';
    },
  },
  {
    name: 'MariaDB killed',
    part: 'database',
    async strike(stage, random) {
      const pod = await nodeOf(stage, 'mariadb', random);
      await killContainer(stage.kubectl, pod);
      return pod;
    },
  },
  {
    name: 'RabbitMQ killed',
    part: 'queue',
    async strike(stage, random) {
      const pod = await nodeOf(stage, 'rabbitmq', random);
      await killContainer(stage.kubectl, pod);
      return pod;
    },
  },
  {
    name: 'memcached killed',
    part: 'cache',
    async strike(stage) {
      await killContainer(stage.kubectl, 'memcached-0');
      return 'memcached-0';
    },
  },
  {
    name: 'Elasticsearch rejects documents',
    part: 'index',
    async strike(stage) {
      const setBlock = async (isBlocked: boolean | null) => {
        const body = { persistent: { 'cluster.blocks.read_only_allow_delete': isBlocked } };
        const { status } = await stage.elasticsearch.request('PUT', '/_cluster/settings', body);
        if (status !== 200) throw new Error(`Elasticsearch rejected its settings with ${status}`);
      };
      await setBlock(true);
      await lasting(() => setBlock(null));
      return 'all indices';
    },
  },
  {
    name: 'log volume full',
    part: 'logs',
    async strike(stage, random) {
      const pod = await fillLogVolume(stage, random);
      await lasting(() => emptyLogVolume(stage, pod));
      return pod;
    },
  },
];

/** The faults that a pattern names. Throws without any. */
export function faultsNamed(pattern: string): readonly Fault[] {
  const named = FAULTS.filter(({ name }) => new RegExp(pattern).test(name));
  if (named.length > 0) return named;
  throw new Error(`no fault matches FAULTS; there are: ${FAULTS.map(({ name }) => name).join(', ')}`);
}

/** Waits for the time of a state, and ends it, also after an error. */
async function lasting(end: () => Promise<unknown>): Promise<void> {
  try {
    await setTimeout(LASTS_MS);
  } finally {
    await end();
  }
}

/** A random Pod of OpenStack's services, which have labels of Helm's releases; the client and the load have none. */
async function servicePod(stage: Stage, random: () => number): Promise<string> {
  const ours = (await podsOf(stage)).filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance']);
  const names = ours.map(({ metadata }) => metadata.name).filter((name) => !INFRASTRUCTURE.test(name));
  return oneOf(random, names.toSorted());
}

/** A random Pod of a chart. */
async function nodeOf(stage: Stage, chart: string, random: () => number): Promise<string> {
  const all = (await podsOf(stage)).filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] === chart);
  return oneOf(random, all.map(({ metadata }) => metadata.name).toSorted());
}
