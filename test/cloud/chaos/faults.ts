/**
 * The faults of `make chaos`. Each affects one part of the cloud, once or for a minute.
 */
import { setTimeout } from 'node:timers/promises';
import { killContainer } from '../../cluster/kubernetes/index.ts';
import { oneOf } from '../../support/random.ts';
import { COMPUTE_NODES, type Stage } from '../stage.ts';
import { emptyLogVolume, fillLogVolume } from './log-volume.ts';
import { readyPod } from './ready-pod.ts';

/** How long a state lasts: longer than Kubernetes needs to notice that a node is gone. */
const LASTS_MS = 60_000;
const INFRASTRUCTURE = /^(?:mariadb|rabbitmq|memcached)-/;
const NODE_TAINT = 'kolla-pod.test/chaos:NoExecute';

export interface Fault {
  readonly name: string;
  /** Faults of one part are not combined. */
  readonly part: 'pod' | 'node' | 'api' | 'database' | 'queue' | 'cache' | 'index' | 'logs';
  strike(stage: Stage, random: () => number): Promise<Hit>;
}

interface Hit {
  readonly what: string;
  /** Ends a state that lasts. */
  readonly end?: () => Promise<unknown> | void;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'Pod deleted',
    part: 'pod',
    async strike(stage, random) {
      const pod = await servicePod(stage, random);
      await stage.kubectl(['delete', `pod/${pod}`, '--wait=false']);
      return { what: pod };
    },
  },
  {
    name: 'container killed',
    part: 'pod',
    async strike(stage, random) {
      const pod = await servicePod(stage, random);
      await killContainer(stage.kubectl, pod);
      return { what: pod };
    },
  },
  {
    name: 'kubelet frozen',
    part: 'node',
    async strike(stage, random) {
      const [name, node] = oneOf(random, [...stage.node.further]);
      await node.signalKubelet('SIGSTOP');
      return { what: name, end: () => node.signalKubelet('SIGCONT') };
    },
  },
  {
    name: 'node cut off',
    part: 'node',
    async strike(stage, random) {
      const [name, node] = oneOf(random, [...stage.node.further]);
      await node.setCable('down');
      return { what: name, end: () => node.setCable('up') };
    },
  },
  {
    name: 'node power-cycled',
    part: 'node',
    async strike(stage, random) {
      const [name, node] = oneOf(random, [...stage.node.further]);
      await node.powerCycle();
      return { what: name };
    },
  },
  {
    name: 'node drained',
    part: 'node',
    async strike(stage, random) {
      const name = oneOf(random, COMPUTE_NODES);
      await stage.kubectl(['drain', name, '--ignore-daemonsets', '--delete-emptydir-data', '--force']);
      return { what: name, end: () => stage.kubectl(['uncordon', name]) };
    },
  },
  {
    name: 'node tainted NoExecute',
    part: 'node',
    async strike(stage, random) {
      const name = oneOf(random, COMPUTE_NODES);
      await stage.kubectl(['taint', 'node', name, NODE_TAINT]);
      return { what: name, end: () => stage.kubectl(['taint', 'node', name, `${NODE_TAINT}-`]) };
    },
  },
  {
    name: 'API server killed',
    part: 'api',
    async strike(stage) {
      await stage.node.restartApiServer();
      return { what: 'kube-apiserver' };
    },
  },
  {
    name: 'API server frozen',
    part: 'api',
    async strike(stage) {
      await stage.node.signalApiServer('SIGSTOP');
      return { what: 'kube-apiserver', end: () => stage.node.signalApiServer('SIGCONT') };
    },
  },
  {
    name: 'MariaDB killed',
    part: 'database',
    async strike(stage, random) {
      const pod = await nodeOf(stage, 'mariadb', random);
      await killContainer(stage.kubectl, pod);
      return { what: pod };
    },
  },
  {
    name: 'RabbitMQ killed',
    part: 'queue',
    async strike(stage, random) {
      const pod = await nodeOf(stage, 'rabbitmq', random);
      await killContainer(stage.kubectl, pod);
      return { what: pod };
    },
  },
  {
    name: 'memcached killed',
    part: 'cache',
    async strike(stage) {
      await killContainer(stage.kubectl, 'memcached-0');
      return { what: 'memcached-0' };
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
      return { what: 'all indices', end: () => setBlock(null) };
    },
  },
  {
    name: 'log volume full',
    part: 'logs',
    async strike(stage, random) {
      const pod = await fillLogVolume(stage, random);
      return { what: pod, end: () => emptyLogVolume(stage, pod) };
    },
  },
];

/** The faults that a pattern names. Throws without any. */
export function faultsNamed(pattern: string): readonly Fault[] {
  const named = FAULTS.filter(({ name }) => new RegExp(pattern).test(name));
  if (named.length > 0) return named;
  throw new Error(`no fault matches FAULTS; there are: ${FAULTS.map(({ name }) => name).join(', ')}`);
}

/**
 * Strikes with all at once; states last for a minute. The API server is struck last and repaired first, since the others ask it.
 * @returns what was hit, when it is over
 */
export async function strike(faults: readonly Fault[], stage: Stage, random: () => number): Promise<string> {
  const ordered = faults.toSorted((one, other) => Number(one.part === 'api') - Number(other.part === 'api'));
  await using ends = new AsyncDisposableStack();
  const hits: Hit[] = [];
  for (const fault of ordered) {
    const hit = await fault.strike(stage, random);
    hits.push(hit);
    ends.defer(async () => void (await hit.end?.()));
  }
  if (hits.some(({ end }) => end !== undefined)) await setTimeout(LASTS_MS);
  return hits.map(({ what }) => what).join(', ');
}

/** A random Pod of OpenStack's services, which have labels of Helm's releases; the client and the load have none. */
async function servicePod(stage: Stage, random: () => number): Promise<string> {
  return await readyPod(
    stage,
    random,
    ({ name, labels }) => labels?.['app.kubernetes.io/instance'] !== undefined && !INFRASTRUCTURE.test(name),
  );
}

/** A random Pod of a chart. */
async function nodeOf(stage: Stage, chart: string, random: () => number): Promise<string> {
  return await readyPod(stage, random, ({ labels }) => labels?.['app.kubernetes.io/instance'] === chart);
}
