import { createHash } from 'node:crypto';
import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import type { OpenStackWorkload, ReplicaKind } from '../api/objects.ts';
import { contains } from '../api/contains.ts';
import { WORKLOAD_KINDS } from '../service/workloads.ts';

/** On a Pod template. A change of its value replaces all Pods, as `kubectl rollout restart` does. */
export const RESTART = 'kolla-pod.io/restart';
/** On the workload: the digest of the fields that were applied last. */
const APPLIED = 'kolla-pod.io/workload';
/** A manager of its own: what it no longer applies is removed, and what others have set stays. */
const WORKLOAD_MANAGER = 'kolla-operator-workload';

/**
 * Fields that Helm's manifests do not contain, so that Helm and these never undo each other. Where values add them, they are
 * Helm's.
 */
const PAUSED: Readonly<Record<ReplicaKind, object>> = {
  Deployment: { paused: true },
  StatefulSet: { updateStrategy: { rollingUpdate: { partition: 2 ** 31 - 1 } } },
  DaemonSet: { updateStrategy: { type: 'OnDelete' } },
};

/** In the API server's message. A manager that updates instead is followed by `using apps/v1`. */
const APPLIED_BY_HELM = /conflicts? with "helm"(?! using )/;

/** A workload with the metadata of its Pod template. */
export interface Live extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly uid?: string };
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: { readonly metadata?: Pick<KubeObject['metadata'], 'annotations'> };
  };
}

/** Pauses, resumes or restarts a workload, unless that is done already. @throws ApiError */
export async function applyChange(
  client: KubeClient,
  { metadata: { namespace }, spec: { kind = 'Deployment', paused = false, restart } }: OpenStackWorkload,
  live: Live,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, annotations } = live.metadata;
  // Removing the value must not restart anything.
  const restarted = restart ?? live.spec?.template?.metadata?.annotations?.[RESTART];
  const template = { metadata: { annotations: { [RESTART]: restarted } } };
  const pause = paused ? PAUSED[kind] : {};
  const spec = { ...pause, ...(restarted === undefined ? {} : { template }) };
  const isEmpty = Object.keys(spec).length === 0;
  const digest = isEmpty ? undefined : createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 16);
  // `kubectl rollout resume`, and Helm with an update strategy among its values, end a pause.
  if (annotations?.[APPLIED] === digest && contains(live.spec ?? {}, pause)) return;
  const { group, version } = WORKLOAD_KINDS[kind];
  // The uid: a workload that was deleted meanwhile must not be created from these fields.
  const metadata = { namespace, name, uid, ...(isEmpty ? {} : { annotations: { [APPLIED]: digest } }) };
  const body = { apiVersion: `${group}/${version}`, kind, metadata, ...(isEmpty ? {} : { spec }) };
  const path = objectPath({ ...WORKLOAD_KINDS[kind], namespace, name });
  const options = { signal, manager: WORKLOAD_MANAGER };
  try {
    await client.apply(path, body, { ...options, force: false });
  } catch (error) {
    if (!(error instanceof ApiError) || !error.message.includes('Apply failed with')) throw error;
    // Taken over, it would be in the way of each later upgrade by Helm 4. Helm 3, which does not apply, has all defaults, and minds none.
    if (APPLIED_BY_HELM.test(error.message)) throw new ApiError(422, refusedPause(error.message), 0, error.reason);
    await client.apply(path, body, options);
  }
}

/** @param message of the API server, with the fields */
function refusedPause(message: string): string {
  const fields = [...new Set(message.match(/\.spec\.\S+/g))].join(', ');
  return `not paused: ${fields} is a value of the Helm release: set it there, in workloads.NAME.strategy or spec`;
}
