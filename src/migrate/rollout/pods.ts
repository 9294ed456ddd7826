import { DB_SYNC_ANNOTATIONS, VERSION_LABEL, releaseOf } from '../../kube/db-sync-lease.ts';
import type { KubeObject } from '../../kube/types.ts';
import { oneLine } from '../../core/one-line.ts';
import type { OwnedMetadata, Replicated, Revision, RolloutKind } from '../../kube/rollout-kinds.ts';

/** The fields of a Pod that this verdict needs. */
export interface ReplicaPod extends KubeObject {
  readonly metadata: OwnedMetadata;
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

/** A snapshot of a workload and of the objects that may belong to it. */
export interface Replicas {
  readonly workload: Replicated;
  readonly revisions: readonly Revision[];
  /** Pods of this workload, and of others whose Pods have the same labels. */
  readonly pods: readonly ReplicaPod[];
}

/** Whether replicas of an older release may still run. */
export interface Remains {
  readonly isGone: boolean;
  /** What is missing, for users, with the names of old Pods. */
  readonly state: string;
}

/** Maximum number of names in the list. */
const NAMES = 5;

/**
 * Judges whether no replica of an older release is left: the rollout is of this release and complete, and no Pod is
 * left of another template version. A terminating Pod counts, because its containers may run until it is gone. A
 * workload scaled to zero has no replica.
 */
export function judgeRemains(kind: RolloutKind, replicas: Replicas, release: string): Remains {
  const { workload, pods, revisions } = replicas;
  const own = revisions.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === uidOf(workload)));
  const living = pods.filter((pod) => !isEnded(pod) && belongs(kind, replicas, pod));
  const verdict = kind.judge(workload);
  const isSeen = (workload.status?.observedGeneration ?? 0) >= (workload.metadata.generation ?? 0);
  if (isSeen && kind.wanted(workload) === 0 && verdict.is !== 'skipped') {
    return living.length === 0 ? gone('no Pod is wanted, and none is left') : left('no Pod is wanted', living);
  }
  const template = workload.spec?.template?.metadata ?? {};
  const found = releaseOf(template);
  if (found !== release) return left(otherRelease(found, release), living);
  const latest = kind.latestHash(workload, own);
  const old = living.filter((pod) => latest === undefined || isOld(kind, workload, latest, pod));
  if (verdict.is !== 'met') return left(verdict.state, latest === undefined ? [] : old);
  if (latest === undefined) return left('the latest template is not known yet', []);
  return old.length === 0
    ? gone(`${verdict.state}, no old Pod is left`)
    : left(verdict.state + heldBack(workload), old);
}

function isOld({ hashLabel }: RolloutKind, workload: Replicated, latest: string, { metadata }: ReplicaPod): boolean {
  const { deletionTimestamp, labels, ownerReferences = [] } = metadata;
  if (deletionTimestamp !== undefined || labels?.[hashLabel] !== latest) return true;
  // The Pod belongs to a deleted workload of the same name.
  return ownerReferences.some(
    ({ kind, name, uid }) => kind !== 'ReplicaSet' && name === workload.metadata.name && uid !== uidOf(workload),
  );
}

/**
 * Selectors may overlap: Pods that another workload controls are not ours. Pods without a controller belong to no other
 * workload.
 */
function belongs({ kind }: RolloutKind, { workload, revisions }: Replicas, { metadata }: ReplicaPod): boolean {
  const owner = controllerOf(metadata);
  if (owner === undefined) return true;
  const isOwn = (other: typeof owner) => other.kind === kind && other.name === workload.metadata.name;
  if (kind !== 'Deployment') return isOwn(owner);
  if (owner.kind !== 'ReplicaSet') return false;
  const set = revisions.find((each) => each.metadata.name === owner.name);
  const above = set && controllerOf(set.metadata);
  // The ReplicaSet of a Pod may be deleted before the Pod.
  return above === undefined || isOwn(above);
}

function controllerOf({ ownerReferences = [] }: OwnedMetadata) {
  return ownerReferences.find(({ controller }) => controller === true);
}

/** Whether no container of the Pod runs or will be restarted. */
function isEnded({ status }: ReplicaPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function uidOf({ metadata }: Replicated): string | undefined {
  return metadata.uid;
}

function otherRelease(found: string | undefined, release: string): string {
  if (found !== undefined) return `its Pods are of release ${oneLine(found)}, not ${release}`;
  return (
    `its Pod template does not name release ${release}: label ${VERSION_LABEL} ` +
    `or annotation ${DB_SYNC_ANNOTATIONS.release}`
  );
}

/** Why old Pods remain until an operator acts. */
function heldBack({ spec }: Replicated): string {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type === 'OnDelete') return ' (OnDelete: each old Pod stays until it is deleted)';
  const { partition = 0 } = rollingUpdate ?? {};
  return partition > 0 ? ` (partition ${partition}: Pods below it are not updated)` : '';
}

function gone(state: string): Remains {
  return { isGone: true, state };
}

function left(why: string, pods: readonly ReplicaPod[]): Remains {
  if (pods.length === 0) return { isGone: false, state: why };
  const names = pods.map(named).toSorted();
  const more = names.length > NAMES ? ` and ${names.length - NAMES} more` : '';
  return { isGone: false, state: `${why}; still there: ${names.slice(0, NAMES).join(', ')}${more}` };
}

function named({ metadata: { name, deletionTimestamp }, spec }: ReplicaPod): string {
  const on = spec?.nodeName === undefined ? 'on no node yet' : `on ${spec.nodeName}`;
  // The API server sets this to the end of the Pod's grace period.
  const ending = deletionTimestamp === undefined ? '' : `, terminating, until ${deletionTimestamp}`;
  return `${name} (${on}${ending})`;
}
