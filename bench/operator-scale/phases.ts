import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../src/kube/index.ts';
import { collectionPath, objectPath } from '../../src/kube/index.ts';
import { ownRef, ownSet, type OpenStackService } from '../../src/operator/api/objects.ts';
import { isReady } from '../../test/integration/kolla-operator-support.ts';
import { fileLimit } from '../../test/support/file-limit.ts';
import { openWait } from '../../test/support/open-waits.ts';
import { between, sumOf, type Requests } from './audit.ts';
import type { Usage } from './operator.ts';
import { CHART, type Site } from './site.ts';

/** What some work has cost. */
export interface Cost {
  readonly seconds: number;
  readonly operatorCpu: number;
  readonly helmCpu: number;
  readonly requests: Requests;
}

/** The measurements with one number of services. */
export interface Scale {
  readonly services: number;
  readonly created: number;
  readonly creation: Cost;
  readonly rest: Cost;
  /** Seconds from a change of one service until its status is about that change, and ready; sorted. */
  readonly single: readonly number[];
  readonly rounds: readonly Cost[];
  /** At rest, then after each round. */
  readonly memory: readonly Usage[];
}

interface Plan {
  readonly counts: readonly number[];
  readonly minutes: number;
  readonly rounds: number;
  readonly say: (text: string) => void;
}

const SETTLE_MS = 30_000;
const SINGLE_CHANGES = 10;
const LIMIT_MINUTES = 55;

export async function measure(site: Site, { counts, minutes, rounds, say }: Plan): Promise<Scale[]> {
  fileLimit(LIMIT_MINUTES);
  await using services = followServices(site);
  const scales: Scale[] = [];
  let existing = 0;
  for (const count of counts) {
    const created = count - existing;
    const creation = await costOf(site, () => services.create(existing, count));
    existing = count;
    say(`${count} services ready, ${created} of them created in ${creation.seconds.toFixed(1)} s`);
    await sleep(SETTLE_MS);
    const rest = await costOf(site, () => sleep(minutes * 60_000));
    const memory = [site.operator.usage()];
    say(`at rest: ${(sumOf(rest.requests) / minutes).toFixed(1)} requests a minute, ${memoryText(memory[0]!)}`);
    const single: number[] = [];
    for (let i = 0; i < SINGLE_CHANGES; i++)
      single.push((await costOf(site, () => services.change([i % count]))).seconds);
    const all = Array.from({ length: count }, (_, i) => i);
    const costs: Cost[] = [];
    for (let round = 0; round < rounds; round++) {
      const cost = await costOf(site, () => services.change(all));
      await sleep(SETTLE_MS);
      memory.push(site.operator.usage());
      costs.push(cost);
      say(`all changed in ${cost.seconds.toFixed(1)} s, ${memoryText(memory.at(-1)!)}`);
    }
    scales.push({
      services: count,
      created,
      creation,
      rest,
      single: single.toSorted((a, b) => a - b),
      rounds: costs,
      memory,
    });
  }
  return scales;
}

function memoryText({ residentMegabytes, anonymousMegabytes }: Usage): string {
  return `RSS ${residentMegabytes.toFixed(0)} MB, anonymous ${anonymousMegabytes.toFixed(0)} MB`;
}

async function costOf({ operator, audit }: Site, work: () => Promise<void>): Promise<Cost> {
  const [requests, usage, began] = [await audit.counts(), operator.usage(), performance.now()];
  await work();
  const seconds = (performance.now() - began) / 1000;
  const after = operator.usage();
  return {
    seconds,
    operatorCpu: after.operatorCpu - usage.operatorCpu,
    helmCpu: after.helmCpu - usage.helmCpu,
    requests: between(requests, await audit.counts()),
  };
}

interface Services extends AsyncDisposable {
  /** Creates the services with these numbers, and waits until they are ready. */
  create(from: number, to: number): Promise<void>;
  /** Changes a value of each, and waits until that is rolled out. */
  change(numbers: readonly number[]): Promise<void>;
}

function followServices({ client, namespace }: Pick<Site, 'client' | 'namespace'>): Services {
  const stop = new AbortController();
  const { signal } = stop;
  const set = ownSet('OpenStackService', namespace);
  let known: ReadonlyMap<string, OpenStackService> = new Map();
  let changed = Promise.withResolvers<void>();
  const follow = async () => {
    for await (const seen of client.watchSet<OpenStackService>(set, { signal, warn: (text) => console.error(text) })) {
      if (seen.kind !== 'set') continue;
      known = seen.objects;
      changed.resolve();
      changed = Promise.withResolvers();
    }
  };
  const ended = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  /** @param generations by name: an older state of an object does not count */
  const ready = async (generations: ReadonlyMap<string, number>) => {
    using wait = openWait(`${generations.size} services`);
    for (;;) {
      const late = [...generations].filter(([name, generation]) => {
        const object = known.get(name);
        return object === undefined || object.metadata.generation < generation || !isReady(object);
      });
      if (late.length === 0) return;
      wait.saw(`${late.length} not ready: ${JSON.stringify(known.get(late[0]?.[0] ?? '')?.status)}`);
      await Promise.race([changed.promise, ended]);
    }
  };
  let turn = 0;
  return {
    create: async (from, to) => {
      const names = Array.from({ length: to - from }, (_, i) => nameOf(from + i));
      for (const name of names) await client.request('POST', collectionPath(set), serviceOf(name), { signal });
      await ready(new Map(names.map((name) => [name, 1])));
    },
    change: async (numbers) => {
      turn++;
      const generations = new Map<string, number>();
      for (const number of numbers) {
        const name = nameOf(number);
        generations.set(name, await patched(client, namespace, name, `${turn}`, signal));
      }
      await ready(generations);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** Changes the tag of the images, so that the Pod is replaced. @returns the generation of the change */
async function patched(
  client: KubeClient,
  namespace: string,
  name: string,
  tag: string,
  signal: AbortSignal,
): Promise<number> {
  const path = objectPath(ownRef('OpenStackService', namespace, name));
  const { metadata } = await client.request<OpenStackService>('PATCH', path, { spec: { tag } }, { signal });
  return metadata.generation;
}

function nameOf(number: number): string {
  return `service-${String(number).padStart(4, '0')}`;
}

function serviceOf(name: string): object {
  const spec = { chart: { name: CHART }, release: '2025.1', tag: '0', values: { hook: false } };
  return { apiVersion: 'kolla-pod.io/v1alpha1', kind: 'OpenStackService', metadata: { name }, spec };
}
