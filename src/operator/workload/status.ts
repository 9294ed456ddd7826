import { defined } from '../../core/defined.ts';
import { releaseOf } from '../../kube/db-sync-lease.ts';
import { selectorText } from '../../kube/rollout.ts';
import { withVerdicts, type ConditionUpdate } from '../api/conditions.ts';
import type { OpenStackWorkload, ReplicaStatus, WorkloadPhase, WorkloadStatus } from '../api/objects.ts';
import { problemOf, type Pod } from '../../kube/pods.ts';
import { judgeRollout } from '../service/workloads.ts';
import type { Live } from './change.ts';

/** Pods in a status; those that are not ready come first. */
const PODS_MAX = 100;

export interface Sight {
  /** Undefined if it does not exist. */
  readonly live: Live | undefined;
  /** Its Pods that have not ended. */
  readonly pods: readonly Pod[];
  /** Why a change was refused by the API server. */
  readonly refused: string | undefined;
}

/** The status that follows from a workload and its Pods. */
export function workloadStatus(
  object: OpenStackWorkload,
  before: WorkloadStatus = {},
  sight: Sight,
  now: Date,
): WorkloadStatus {
  const { generation } = object.metadata;
  const { live, pods } = sight;
  const [phase, reason, message] = stateOf(object, sight);
  const is = (value: boolean, why: string = reason): ConditionUpdate => ({
    status: value ? 'True' : 'False',
    reason: why,
    message,
  });
  const replicas = pods.map(replicaOf).toSorted(byNeed);
  const verdicts = {
    Ready: is(phase === 'Ready'),
    Progressing: is(phase === 'RollingOut' || phase === 'Draining'),
    Degraded: phase === 'Degraded' ? is(true) : ({ status: 'False', reason: 'AsExpected', message: '' } as const),
    Drained: is(
      phase === 'Drained',
      phase === 'Drained' ? 'Drained' : object.spec.drain === true ? reason : 'NotAsked',
    ),
  };
  return {
    observedGeneration: generation,
    phase,
    message: phase === 'Ready' ? '' : message,
    replicas: pods.length,
    readyReplicas: replicas.filter(({ ready }) => ready).length,
    ...(live?.spec?.selector === undefined ? {} : { selector: selectorText(live.spec.selector) }),
    pods: replicas.slice(0, PODS_MAX),
    conditions: withVerdicts(before.conditions, verdicts, generation, now),
  };
}

function stateOf(
  { metadata, spec }: OpenStackWorkload,
  { live, pods, refused }: Sight,
): readonly [WorkloadPhase, string, string] {
  const { kind = 'Deployment', drain = false, paused = false } = spec;
  const what = `${kind.toLowerCase()}/${metadata.name}`;
  if (live === undefined) return ['Pending', 'NotFound', `${what} does not exist, or is not part of a Helm release`];
  if (refused !== undefined) return ['Degraded', 'Refused', refused];
  const service = metadata.ownerReferences?.find((owner) => owner.controller)?.name;
  const wanted = drain ? 0 : spec.replicas;
  if (wanted !== undefined && service === undefined) {
    const release = live.metadata.annotations?.['meta.helm.sh/release-name'];
    const fix = `replicas are a value of the Helm release ${release}: set it with helm, or create OpenStackService ${release}`;
    return ['Degraded', 'NoService', fix];
  }
  const problem = pods.map(problemOf).find((one) => one !== undefined);
  if (problem !== undefined) return ['Degraded', 'PodsFailing', problem];
  if (drain && pods.length === 0 && live.spec?.replicas === 0) return ['Drained', 'Drained', `${what} has no Pods`];
  if (wanted !== undefined && wanted !== (live.spec?.replicas ?? 1)) {
    const why = `OpenStackService ${service} changes replicas from ${live.spec?.replicas ?? 1} to ${wanted}`;
    return drain ? ['Draining', 'Draining', why] : ['RollingOut', 'Scaling', why];
  }
  if (drain) return ['Draining', 'Draining', `${pods.length} Pods are still there`];
  const verdict = judgeRollout(kind, live);
  if (verdict.is === 'met') return ['Ready', 'Ready', verdict.state];
  return paused ? ['Paused', 'Paused', `paused; ${verdict.state}`] : ['RollingOut', 'RollingOut', verdict.state];
}

function replicaOf({ metadata, spec = {}, status = {} }: Pod): ReplicaStatus {
  const [container] = spec.containers ?? [];
  return {
    pod: metadata.name,
    ready: status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true,
    restarts: (status.containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    ...defined({ node: spec.nodeName, release: releaseOf(metadata), image: container?.image }),
  };
}

function byNeed(a: ReplicaStatus, b: ReplicaStatus): number {
  return Number(a.ready) - Number(b.ready) || (a.pod < b.pod ? -1 : 1);
}
