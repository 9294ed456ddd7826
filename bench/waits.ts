/**
 * The cost of waiting: `make bench NAME=waits`.
 *
 *   a real control plane, the built kolla-init, real Jobs and EndpointSlices -> time from the API server's reply to the
 *   completing change until our exit, 100 times -> a minute without waits before and after; a thousand watches, 20 of
 *   them by the binary; 20 that poll every 2 s -> each minute's cost to the API server, etcd and the clients, less a
 *   minute without waits
 *
 * In each minute ten other Jobs change. The peer is kolla-init with a Role without `watch`: it polls every 2 s, like
 * tools that do not watch.
 */
import { existsSync } from 'node:fs';
import { connectKube, type KubeClient } from '../src/kube/index.ts';
import { canRunControlPlane, startControlPlane, type ControlPlane } from '../test/cluster/kubernetes/index.ts';
import type { FiguresBench } from './bench.ts';
import { percentile, round, type Figure } from './figure.ts';
import { minutes } from './minutes.ts';
import { endpoint, job, NAMESPACE, type Make } from './waited.ts';
import { startAll } from './waiter.ts';

const SAMPLES = 100;
const AT_ONCE = 20;

export const waits: FiguresBench = {
  name: 'waits',
  title: 'Waiting for a Job or an endpoint',
  peer: 'polling every 2 s',
  capability: async () =>
    existsSync('dist/bin/kolla-init')
      ? await canRunControlPlane()
      : 'dist/bin/kolla-init does not exist: run `make build`',
  kind: 'figures',
  async run(say) {
    await using cluster = await startControlPlane();
    await cluster.kubectl(['create', 'namespace', NAMESPACE]);
    await cluster.kubectl(['wait', '--for=create', 'serviceaccount/default', `--namespace=${NAMESPACE}`]);
    using client = await connectKube({ kind: 'kubeconfig', files: [cluster.kubeconfig] });
    const watching = await accountWith(cluster, 'watching', 'list,watch');
    const asking = await accountWith(cluster, 'asking', 'get,list');
    const figures: Figure[] = [];
    let from = 0;
    for (const [make, what] of [
      [job, 'Job Complete to exit'],
      [endpoint, 'endpoint ready to exit'],
    ] as const) {
      say(what);
      const ours = await latencies(client, make, watching, (from += SAMPLES), 'one after the other');
      const peer = await latencies(client, make, asking, (from += SAMPLES), 'together');
      figures.push(...percentiles(what, ours, peer));
    }
    return [...figures, ...(await minutes(cluster, client, watching, asking, say))];
  },
};

/** The kubeconfig of a ServiceAccount with these verbs on the objects. */
async function accountWith(cluster: ControlPlane, name: string, verbs: string): Promise<string> {
  const create = (...args: string[]) => cluster.kubectl([`--namespace=${NAMESPACE}`, 'create', ...args]);
  await create('serviceaccount', name);
  await create('role', name, `--verb=${verbs}`, '--resource=jobs.batch,endpointslices.discovery.k8s.io');
  await create('rolebinding', name, `--role=${name}`, `--serviceaccount=${NAMESPACE}:${name}`);
  return await cluster.kubeconfigOf(NAMESPACE, name);
}

/** Milliseconds from the API server's reply to the exit. */
async function latencies(
  client: KubeClient,
  make: Make,
  kubeconfig: string,
  first: number,
  how: 'one after the other' | 'together',
): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < SAMPLES) {
    const batch = Array.from({ length: AT_ONCE }, (_, i) => make(client, first + taken.length + i));
    for (const each of batch) await each.create();
    await using stack = new AsyncDisposableStack();
    const waiters = await startAll(
      batch.map(({ wait }) => wait),
      kubeconfig,
      stack,
    );
    const sample = async (i: number) => {
      await batch[i]!.meet();
      const replied = performance.now();
      taken.push((await waiters[i]!.ended) - replied);
    };
    if (how === 'together') await Promise.all(batch.map((_, i) => sample(i)));
    else for (const i of batch.keys()) await sample(i);
  }
  return taken;
}

function percentiles(what: string, ours: readonly number[], peer: readonly number[]): Figure[] {
  const at = (values: readonly number[], part: number) => round(percentile(values, part), 1);
  return [
    { what: `${what}: p50`, unit: 'ms', ours: at(ours, 0.5), peer: at(peer, 0.5) },
    { what: `${what}: p95`, unit: 'ms', ours: at(ours, 0.95), peer: at(peer, 0.95), reach: 50 },
    { what: `${what}: maximum`, unit: 'ms', ours: at(ours, 1), peer: at(peer, 1) },
  ];
}
