/**
 * When the cloud has recovered:
 *
 *   the fault is over -> every workload has all of its replicas, Ready, and no Pod is terminating
 *     -> each API answered, and each operation succeeded, that began after that
 */
import { restarts, type PodState } from '../../aio/openstack.ts';
import { until } from '../../support/until.ts';
import { podsOf } from '../install.ts';
import type { Stage } from '../stage.ts';
import type { Load, Sample } from '../upgrade/load.ts';

export interface Recovery {
  /** From the end of the fault until all Pods were Ready, and until each operation had succeeded. */
  readonly readySeconds: number;
  readonly servingSeconds: number;
  /** The API or operation that succeeded last. */
  readonly last: string;
  /** Containers that were restarted, and Pods that were replaced. */
  readonly restarted: readonly string[];
  readonly replaced: readonly string[];
  /** Nodes that were not ready meanwhile. Kubernetes takes their Pods out of their Services for that time. */
  readonly unreadyNodes: readonly string[];
  /** Requests and operations from the beginning of the fault to the recovery. */
  readonly samples: readonly Sample[];
}

interface Node {
  readonly metadata: { readonly name: string };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly lastTransitionTime: string }[] };
}

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: { readonly replicas?: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly numberReady?: number;
    readonly desiredNumberScheduled?: number;
  };
}

/**
 * Waits for the recovery from a fault.
 * @param before the Pods before it
 * @param began seconds since 1970 of its beginning
 */
export async function recovered(
  stage: Stage,
  load: Load,
  before: readonly PodState[],
  began: number,
): Promise<Recovery> {
  const over = now();
  await until('every workload to have its replicas', async (saw) => {
    const lacking = await lackingIn(stage).catch((error: unknown) => [String(error)]);
    saw(lacking);
    return lacking.length === 0 || undefined;
  });
  const ready = now();
  const samples = await until('each API and operation to succeed again', async (saw) => {
    const all = await load.samples();
    const kinds = new Set(all.map(({ what, kind }) => `${what} ${kind}`));
    const after = new Set(all.filter(({ at, ok }) => ok && at >= ready).map(({ what, kind }) => `${what} ${kind}`));
    const missing = [...kinds].filter((kind) => !after.has(kind));
    saw([missing, all.findLast(({ ok }) => !ok)?.saw]);
    return missing.length === 0 ? all : undefined;
  });
  const pods = await podsOf(stage);
  const [counts, former] = [restarts(pods), restarts(before)];
  const known = new Set(before.map(({ metadata }) => metadata.uid));
  return {
    readySeconds: ready - over,
    servingSeconds: now() - over,
    last: lastOf(samples.filter(({ at, ok }) => ok && at >= ready)),
    restarted: Object.entries(counts).flatMap(([name, count]) => {
      const more = count - (former[name] ?? count);
      return more > 0 ? [`${name}${more > 1 ? ` × ${more}` : ''}`] : [];
    }),
    replaced: pods.filter(({ metadata }) => !known.has(metadata.uid)).map(({ metadata }) => metadata.name),
    unreadyNodes: await unreadySince(stage, began),
    samples: samples.filter(({ at }) => at >= began),
  };
}

/** All nodes are ready now, so a later change was from not ready. */
async function unreadySince(stage: Stage, began: number): Promise<string[]> {
  const { items } = JSON.parse(await stage.kubectl(['get', 'nodes', '--output=json'])) as { items: Node[] };
  const hasChanged = ({ status }: Node) =>
    status.conditions.some(
      ({ type, lastTransitionTime }) => type === 'Ready' && Date.parse(lastTransitionTime) / 1000 >= began,
    );
  return items.filter(hasChanged).map(({ metadata }) => metadata.name);
}

/** Of the first success of each API and operation, the one that ended last. */
function lastOf(successes: readonly Sample[]): string {
  const ends = new Map<string, number>();
  for (const { at, seconds, what, kind } of successes) {
    const name = `${what} ${kind}`;
    if (!ends.has(name)) ends.set(name, at + seconds);
  }
  return [...ends].toSorted(([, a], [, b]) => a - b).at(-1)?.[0] ?? '';
}

/** Seconds since 1970, as the load's. */
export function now(): number {
  return Date.now() / 1000;
}

async function lackingIn(stage: Stage): Promise<string[]> {
  const text = await stage.kubectl(['get', 'deployments,statefulsets,daemonsets', '--output=json']);
  const { items } = JSON.parse(text) as { items: Workload[] };
  const lacking = items.flatMap(({ kind, metadata, spec, status }) => {
    const wanted = spec.replicas ?? status.desiredNumberScheduled ?? 0;
    const ready = status.readyReplicas ?? status.numberReady ?? 0;
    const isCurrent = status.observedGeneration === metadata.generation;
    return isCurrent && ready === wanted ? [] : [`${kind} ${metadata.name}: ${ready} of ${wanted}`];
  });
  const ending = (await podsOf(stage)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return [...lacking, ...ending.map(({ metadata }) => `${metadata.name} is terminating`)];
}
