import { setTimeout as sleep } from 'node:timers/promises';
import { connectKube, type KubeClient } from '../src/kube/index.ts';
import { cpuSecondsOf, openWatches, requestCount, type ControlPlane } from '../test/cluster/kubernetes/index.ts';
import { round, type Figure } from './figure.ts';
import { job, NAMESPACE, touch } from './waited.ts';
import { startAll, type Waiter } from './waiter.ts';

const AT_ONCE = 20;
const WATCHES = 1000;
/** A client opens at most a hundred watches. */
const WATCHES_A_CLIENT = 98;
const MINUTE_MS = 60_000;
/** Lets the effects of a thousand new objects settle. */
const SETTLE_MS = 20_000;
const CHANGES = 10;

/** Cost of a minute. */
interface Minute {
  /** Cost of starting the waits, before the minute. */
  readonly toBegin: number;
  readonly requests: number;
  readonly serverCpu: number;
  readonly waiterCpu: number;
  readonly megabytes: number;
}

/**
 * Cost that a minute of waiting causes to the API server, etcd and the clients.
 * @param watching kubeconfig of an account that may watch @param asking kubeconfig of one that may not
 */
export async function minutes(
  cluster: ControlPlane,
  client: KubeClient,
  watching: string,
  asking: string,
  say: (text: string) => void,
): Promise<Figure[]> {
  const others = Array.from({ length: CHANGES }, (_, i) => job(client, 9000 + i));
  const waited = Array.from({ length: WATCHES }, (_, i) => job(client, 10_000 + i));
  for (const each of [...others, ...waited]) await each.create();
  const minute = async (begin: () => Promise<readonly Waiter[]>): Promise<Minute> => {
    const earlier = await counts(cluster, []);
    const waiters = await begin();
    const before = await counts(cluster, waiters);
    for (let i = 0; i < CHANGES; i++) {
      await touch(client, `job-${9000 + i}`, 2);
      await sleep(MINUTE_MS / CHANGES);
    }
    const after = await counts(cluster, waiters);
    return {
      toBegin: before.requests - earlier.requests,
      requests: after.requests - before.requests,
      serverCpu: after.serverCpu - before.serverCpu,
      waiterCpu: (after.waiterCpu - before.waiterCpu) / Math.max(1, waiters.length),
      megabytes: Math.max(...waiters.map((waiter) => waiter.residentMegabytes()), 0),
    };
  };
  const texts = waited.map(({ wait }) => wait);
  const idleMinute = () => {
    say('a minute without waits');
    return minute(() => Promise.resolve([]));
  };
  await sleep(SETTLE_MS);
  const idleBefore = await idleMinute();
  say(`a minute of ${WATCHES} watches, ${AT_ONCE} of them of the binary`);
  const ours = await (async () => {
    await using stack = new AsyncDisposableStack();
    return await minute(async () => {
      await watchAll(watching, texts.slice(AT_ONCE), stack);
      return await startAll(texts.slice(0, AT_ONCE), watching, stack);
    });
  })();
  say(`a minute of ${AT_ONCE} that poll`);
  const peer = await (async () => {
    await using stack = new AsyncDisposableStack();
    return await minute(() => startAll(texts.slice(0, AT_ONCE), asking, stack));
  })();
  const idleAfter = await idleMinute();
  const idle = (total: keyof Minute) => (idleBefore[total] + idleAfter[total]) / 2;
  const each = (total: keyof Minute, minuteOf: Minute, waiters: number, digits: number) =>
    round((minuteOf[total] - idle(total)) / waiters, digits);
  return [
    {
      what: 'requests per waiter, at start',
      unit: '',
      ours: each('toBegin', ours, WATCHES, 2),
      peer: each('toBegin', peer, AT_ONCE, 2),
    },
    {
      what: 'requests per waiter, per minute',
      unit: '',
      ours: each('requests', ours, WATCHES, 2),
      peer: each('requests', peer, AT_ONCE, 2),
      reach: 1,
    },
    {
      what: 'API server and etcd per waiter, per minute',
      unit: 's CPU',
      ours: each('serverCpu', ours, WATCHES, 4),
      peer: each('serverCpu', peer, AT_ONCE, 4),
      reach: 0.005,
    },
    {
      what: `API server and etcd, per minute (${round(idle('serverCpu'), 1)} when idle)`,
      unit: 's CPU',
      ours: round(ours.serverCpu, 2),
      peer: round(peer.serverCpu, 2),
    },
    {
      what: 'kolla-init, per minute',
      unit: 's CPU',
      ours: round(ours.waiterCpu, 3),
      peer: round(peer.waiterCpu, 3),
    },
    {
      what: 'kolla-init, peak memory',
      unit: 'MB',
      ours: round(ours.megabytes, 0),
      peer: round(peer.megabytes, 0),
    },
  ];
}

async function counts(cluster: ControlPlane, waiters: readonly Waiter[]) {
  return {
    // A watch is counted when it ends.
    requests: (await requestCount(cluster)) + (await openWatches(cluster)),
    serverCpu: cluster.apiServer.cpuSeconds() + cpuSecondsOf(cluster.etcd.pid),
    waiterCpu: waiters.reduce((sum, waiter) => sum + waiter.cpuSeconds(), 0),
  };
}

/** The same watches as kolla-init's, from this process: a thousand kolla-init processes would overload the machine. */
async function watchAll(kubeconfig: string, texts: readonly string[], stack: AsyncDisposableStack): Promise<void> {
  const stop = new AbortController();
  const ends: Promise<unknown>[] = [];
  stack.defer(async () => {
    stop.abort();
    await Promise.allSettled(ends);
  });
  for (let i = 0; i < texts.length; i += WATCHES_A_CLIENT) {
    const client = stack.use(await connectKube({ kind: 'kubeconfig', files: [kubeconfig] }));
    const begun = texts.slice(i, i + WATCHES_A_CLIENT).map((text) => {
      const seen = Promise.withResolvers<void>();
      ends.push(follow(client, text.replace('job/', ''), stop.signal, seen.resolve).catch(seen.reject));
      return seen.promise;
    });
    await Promise.all(begun);
  }
}

async function follow(client: KubeClient, name: string, signal: AbortSignal, seen: () => void): Promise<void> {
  const ref = { group: 'batch', version: 'v1', resource: 'jobs', namespace: NAMESPACE, name };
  for await (const { kind } of client.watch(ref, { signal, warn: (message) => console.error(message) }))
    if (kind === 'object') seen();
}
