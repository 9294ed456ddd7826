import type { KubeObject } from '../../platform/kube/types.ts';
import type { ObjectKind } from '../kind.ts';
import { objectWaiter } from '../objects.ts';
import { met, passedOver, pending, type Verdict } from '../verdict.ts';

/** The parts of a StatefulSet that decide. */
export interface StatefulSet extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation?: number };
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly availableReplicas?: number;
    readonly updatedReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

/** Whether a rollout is complete, as far as its update strategy takes it. */
export function judgeStatefulSet({ metadata, spec = {}, status = {} }: StatefulSet): Verdict {
  if (metadata.deletionTimestamp !== undefined) return passedOver('being deleted');
  const { replicas: wanted = 1, updateStrategy } = spec;
  const {
    observedGeneration = 0,
    availableReplicas = 0,
    updatedReplicas = 0,
    currentRevision,
    updateRevision,
  } = status;
  if (observedGeneration < (metadata.generation ?? 0))
    return pending('its controller has not seen the latest spec yet');
  const isRolling = updateStrategy?.type !== 'OnDelete' && currentRevision !== updateRevision;
  // Those below the partition stay as they are.
  const toUpdate = isRolling ? Math.max(0, wanted - (updateStrategy?.rollingUpdate?.partition ?? 0)) : 0;
  if (updatedReplicas < toUpdate) return pending(`${updatedReplicas} of ${toUpdate} updated`);
  if (availableReplicas < wanted) return pending(`${availableReplicas} of ${wanted} available`);
  return met(`${availableReplicas} of ${wanted} available`);
}

const RESOURCE = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
} as const;

export const statefulset: ObjectKind = {
  form: 'object',
  word: 'statefulset',
  aliases: ['statefulsets', 'sts', 'statefulset.apps', 'statefulsets.apps'],
  what: 'a StatefulSet',
  means: 'its rollout is complete: all replicas updated (above the partition) and available; labels: all of them',
  by: 'name or labels',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['condition', 'jsonpath', 'release'],
  canBeNegated: true,
  reads: ({ name }) => [{ resource: RESOURCE, by: 'watch', name }],
  make: (dependency, options, effects) =>
    objectWaiter<StatefulSet>(dependency, options, effects, {
      resource: RESOURCE,
      judge: judgeStatefulSet,
      ofMany: 'all',
    }),
};
