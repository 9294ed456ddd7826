import {
  judgeDaemonSetRollout,
  judgeDeployment,
  judgeStatefulSet,
  type RolloutVerdict,
  type StatefulSet,
} from '../../kube/rollout.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ManifestObject } from '../helm/release.ts';

/** The fields of a Job that are read here. */
export interface Job extends KubeObject {
  readonly status?: {
    /** Its Pods that have failed so far. */
    readonly failed?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** The kinds whose state decides whether a service is ready. */
export const WORKLOAD_KINDS = {
  Deployment: { group: 'apps', version: 'v1', resource: 'deployments' },
  StatefulSet: { group: 'apps', version: 'v1', resource: 'statefulsets' },
  DaemonSet: { group: 'apps', version: 'v1', resource: 'daemonsets' },
  Job: { group: 'batch', version: 'v1', resource: 'jobs' },
} as const;

export type WorkloadKind = keyof typeof WORKLOAD_KINDS;

/** Whether the kind is one of these. */
function isWorkloadKind(kind: string): kind is WorkloadKind {
  return Object.hasOwn(WORKLOAD_KINDS, kind);
}

export interface WorkloadsState {
  readonly ready: number;
  readonly total: number;
  /** What is not ready, with its state: `deployment/keystone: 0 of 1 updated`. */
  readonly pending: readonly string[];
  /** Failed Jobs with their reason. */
  readonly failed: readonly { readonly job: string; readonly why: string }[];
  /** Jobs that the chart has suspended, and that have not completed. */
  readonly held: readonly string[];
  /** Why workloads may never be ready: an exceeded quota, an exceeded progress deadline. */
  readonly problems: readonly string[];
  /** Workloads that do not exist: `deployment/keystone`. */
  readonly missing: readonly string[];
}

/**
 * The state of a release's workloads and Jobs. A Job that does not exist has completed: its TTL has removed it.
 * @param read returns the object; undefined if it does not exist
 */
export async function workloadsState(
  objects: readonly ManifestObject[],
  read: (kind: WorkloadKind, name: string) => KubeObject | undefined | Promise<KubeObject | undefined>,
): Promise<WorkloadsState> {
  const known = objects.flatMap(({ kind, name, isSuspended = false }) =>
    isWorkloadKind(kind) ? [{ kind, name, isSuspended }] : [],
  );
  const states = await Promise.all(
    known.map(async ({ kind, name, isSuspended }) => {
      const verdict = verdictOf(kind, await read(kind, name));
      const isHeld = isSuspended && verdict.is === 'pending';
      return { kind, what: `${kind.toLowerCase()}/${name}`, name, verdict: isHeld ? HELD : verdict };
    }),
  );
  const of = (is: Verdict['is']) => states.filter(({ verdict }) => verdict.is === is);
  return {
    ready: states.filter(({ kind, verdict }) => kind !== 'Job' && verdict.is === 'met').length,
    total: states.filter(({ kind }) => kind !== 'Job').length,
    pending: of('pending').map(({ what, verdict }) => `${what}: ${verdict.state}`),
    problems: states.flatMap(({ what, verdict }) => (verdict.isStuck === true ? [`${what}: ${verdict.state}`] : [])),
    failed: of('failed').map(({ name, verdict }) => ({ job: name, why: verdict.state })),
    missing: of('missing').map(({ what }) => what),
    held: of('held').map(({ name }) => name),
  };
}

interface Verdict {
  readonly is: RolloutVerdict['is'] | 'failed' | 'missing' | 'held';
  readonly state: string;
  readonly isStuck?: boolean;
}

const HELD: Verdict = { is: 'held', state: 'suspended' };

function verdictOf(kind: WorkloadKind, object: KubeObject | undefined): Verdict {
  if (kind === 'Job') return object === undefined ? { is: 'met', state: 'gone' } : judgeJob(object);
  if (object === undefined) return { is: 'missing', state: 'does not exist' };
  const verdict = judgeRollout(kind, object);
  return verdict.is === 'skipped' ? { ...verdict, is: 'pending' } : verdict;
}

/** Whether the workload is rolled out, as in kubectl rollout status, or why it may never be. */
export function judgeRollout(
  kind: Exclude<WorkloadKind, 'Job'>,
  object: KubeObject,
): RolloutVerdict & Pick<Verdict, 'isStuck'> {
  if (kind === 'StatefulSet') return judgeWholeStatefulSet(object);
  if (kind === 'DaemonSet') return judgeDaemonSetRollout(object);
  const verdict = judgeDeployment(object);
  // The API server's own words, such as those of an exceeded quota.
  const conditions = (object as Job).status?.conditions ?? [];
  const refused = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (verdict.is !== 'pending') return verdict;
  if (refused !== undefined) return { ...verdict, state: `${verdict.state}: ${refused.message}`, isStuck: true };
  return { ...verdict, isStuck: verdict.state.endsWith('ProgressDeadlineExceeded') };
}

/** kubectl's rollout of a StatefulSet ends at its partition; an upgrade does not. */
function judgeWholeStatefulSet(statefulSet: StatefulSet): RolloutVerdict {
  const verdict = judgeStatefulSet(statefulSet);
  const { currentRevision, updateRevision, updatedReplicas = 0 } = statefulSet.status ?? {};
  const { replicas = 1 } = statefulSet.spec ?? {};
  if (verdict.is !== 'met' || currentRevision === updateRevision || updatedReplicas >= replicas) return verdict;
  return { is: 'pending', state: `${updatedReplicas} of ${replicas} updated` };
}

/** Whether a Job is complete or has failed, in Kubernetes' words. */
export function judgeJob({ status: { failed: failures = 0, conditions = [] } = {} }: Job): Verdict {
  const has = (wanted: string) => conditions.find(({ type, status }) => type === wanted && status === 'True');
  if (has('Complete') !== undefined) return { is: 'met', state: 'complete' };
  const failed = has('Failed');
  const attempts = failures === 0 ? '' : `, failed ${failures === 1 ? 'once' : `${failures} times`} so far`;
  if (failed === undefined) return { is: 'pending', state: `not complete${attempts}` };
  return { is: 'failed', state: `${failed.reason}: ${failed.message}` };
}
