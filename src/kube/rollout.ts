import type { KubeObject } from './types.ts';

/** The verdict on a rollout. */
export interface RolloutVerdict {
  /** `skipped` means that the workload is being deleted. */
  readonly is: 'met' | 'pending' | 'skipped';
  /** The state for users: `1 of 3 updated`. */
  readonly state: string;
}

/** The status of a workload in the group `apps` that replaces its Pods gradually. */
export interface Workload extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation?: number };
  readonly status?: { readonly observedGeneration?: number };
}

/** The fields of a Deployment that a rollout's verdict needs. */
export interface Deployment extends Workload {
  readonly spec?: { readonly replicas?: number };
  readonly status?: NonNullable<Workload['status']> & {
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

/** The fields of a StatefulSet that a rollout's verdict needs. */
export interface StatefulSet extends Workload {
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
  };
  readonly status?: NonNullable<Workload['status']> & {
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

/** The fields of a DaemonSet that a rollout's verdict needs. */
export interface DaemonSet extends Workload {
  readonly status?: NonNullable<Workload['status']> & {
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
  };
}

/** Whether a Deployment's rollout is complete, as in kubectl rollout status. */
export function judgeDeployment(deployment: Deployment): RolloutVerdict {
  const wanted = deployment.spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = deployment.status ?? {};
  const isLate = conditions.some(({ reason }) => reason === 'ProgressDeadlineExceeded');
  return judgeRollout(deployment, {
    wanted,
    updated: updatedReplicas,
    toUpdate: wanted,
    available: availableReplicas,
    toBeAvailable: updatedReplicas,
    old: replicas - updatedReplicas,
    late: isLate ? ', ProgressDeadlineExceeded' : '',
  });
}

/** The same for a StatefulSet. Pods with an ordinal below the partition are not updated. */
export function judgeStatefulSet(statefulSet: StatefulSet): RolloutVerdict {
  const { replicas: wanted = 1, updateStrategy } = statefulSet.spec ?? {};
  const { currentRevision, updateRevision, updatedReplicas = 0, availableReplicas = 0 } = statefulSet.status ?? {};
  const isRolling = updateStrategy?.type !== 'OnDelete' && currentRevision !== updateRevision;
  const toUpdate = isRolling ? Math.max(0, wanted - (updateStrategy?.rollingUpdate?.partition ?? 0)) : 0;
  return judgeRollout(statefulSet, {
    wanted,
    updated: updatedReplicas,
    toUpdate,
    available: availableReplicas,
    toBeAvailable: wanted,
    old: 0,
    late: '',
  });
}

/** The same for a DaemonSet, on all nodes that it selects. */
export function judgeDaemonSetRollout(daemonSet: DaemonSet): RolloutVerdict {
  const {
    desiredNumberScheduled: wanted = 0,
    updatedNumberScheduled = 0,
    numberAvailable = 0,
  } = daemonSet.status ?? {};
  return judgeRollout(daemonSet, {
    wanted,
    updated: updatedNumberScheduled,
    toUpdate: wanted,
    available: numberAvailable,
    toBeAvailable: wanted,
    old: 0,
    late: '',
  });
}

interface Rollout {
  readonly wanted: number;
  readonly updated: number;
  /** The wanted number of updated replicas. */
  readonly toUpdate: number;
  readonly available: number;
  /** The wanted number of available replicas. */
  readonly toBeAvailable: number;
  /** Replicas of an older version that remain. */
  readonly old: number;
  /** Why the rollout may never finish; appended to the state. */
  readonly late: string;
}

/** A status that belongs to an older generation of the spec does not count. */
function judgeRollout(
  { metadata, status = {} }: Workload,
  { wanted, updated, toUpdate, available, toBeAvailable, old, late }: Rollout,
): RolloutVerdict {
  if (metadata.deletionTimestamp !== undefined) return { is: 'skipped', state: 'being deleted' };
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return pending('its controller has not seen the latest spec yet');
  if (updated < toUpdate) return pending(`${updated} of ${toUpdate} updated${late}`);
  if (old > 0) return pending(`${old} old to go${late}`);
  if (available < toBeAvailable) return pending(`${available} of ${wanted} available${late}`);
  return { is: 'met', state: `${available} of ${wanted} available` };
}

function pending(state: string): RolloutVerdict {
  return { is: 'pending', state };
}

/** The selector of a workload's Pods, as in its spec. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** The selector as the API expects it: `app=x,tier in (a,b),!old`. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`), ...expressions].join(',');
}
