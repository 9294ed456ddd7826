import { ApiError } from '../../kube/api-error.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import type { Cache } from '../runtime/cache.ts';
import { conditionOf } from '../api/conditions.ts';
import type { OpenStackWorkload } from '../api/objects.ts';
import type { Publisher } from '../runtime/publish.ts';
import { REFUSED_MS, type Result } from '../runtime/queue.ts';
import type { Pod } from '../../kube/pods.ts';
import type { WorkloadKind } from '../service/workloads.ts';
import { applyChange, type Live } from './change.ts';
import { workloadStatus } from './status.ts';

export interface WorkloadEffects {
  readonly client: KubeClient;
  readonly publisher: Publisher;
  readonly scales: Cache<OpenStackWorkload>;
  readonly workloads: Readonly<Record<WorkloadKind, Cache<KubeObject>>>;
  readonly pods: Cache<Pod>;
  readonly now: () => Date;
}

/** One look at an OpenStackWorkload: pauses or restarts its workload, and publishes the state of its Pods. */
export async function reconcileWorkload(
  name: string,
  { client, publisher, scales, workloads, pods, now }: WorkloadEffects,
  signal: AbortSignal,
): Promise<Result> {
  const object = scales.get(name);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
  const live = workloads[object.spec.kind ?? 'Deployment'].get(name);
  let refused: string | undefined;
  try {
    if (live !== undefined) await applyChange(client, object, live, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 403, 404, 409, 422].includes(error.status)) throw error;
    // Deleted or re-created meanwhile: the cache will know.
    if (error.status !== 404 && error.status !== 409) refused = error.message;
  }
  const own = [...pods.values()].filter((pod) => isOf(pod, live));
  const before = publisher.statusOf(object);
  const status = workloadStatus(object, before, { live, pods: own, refused }, now());
  if (!(await publisher.write('OpenStackWorkload', object, status, signal))) return {};
  const [was, is] = [before, status].map((one) => conditionOf(one?.conditions, 'Degraded'));
  if (is?.status === 'True' && (was?.status !== 'True' || was.message !== is.message))
    await publisher.event('OpenStackWorkload', object, 'Warning', is.reason, is.message, signal);
  return refused === undefined ? {} : { requeueAfterMs: REFUSED_MS };
}

/** Whether a Pod is one of a workload's, and has not ended. */
export function isOf({ metadata, status }: Pod, live: Live | undefined): boolean {
  const wanted = Object.entries(live?.spec?.selector?.matchLabels ?? {});
  const isActive = status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
  return isActive && wanted.length > 0 && wanted.every(([key, value]) => metadata.labels?.[key] === value);
}
