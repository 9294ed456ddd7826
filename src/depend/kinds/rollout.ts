import type { KubeObject } from '../../platform/kube/types.ts';
import type { ObjectKind } from '../kind.ts';
import { objectWaiter } from '../objects.ts';
import { met, passedOver, pending, type Verdict } from '../verdict.ts';

/** What a controller of the group `apps` says of the Pods that it replaces one by one. */
export interface Workload extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/** What is asked of it. */
export interface Rollout {
  readonly wanted: number;
  /** How many must be of the latest version. */
  readonly toUpdate: number;
  /** How many must be available. */
  readonly toBeAvailable: number;
  /** Replicas of an older version that are still to go. */
  readonly old: number;
  /** Why it may take for ever, to stand behind what is missing. */
  readonly late: string;
}

/** Whether the rollout is complete. What its controller said of an older spec says nothing about this one. */
export function judgeRollout(
  { metadata, status = {} }: Workload,
  { wanted, toUpdate, toBeAvailable, old, late }: Rollout,
): Verdict {
  if (metadata.deletionTimestamp !== undefined) return passedOver('being deleted');
  const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  if (observedGeneration < (metadata.generation ?? 0))
    return pending('its controller has not seen the latest spec yet');
  if (updatedReplicas < toUpdate) return pending(`${updatedReplicas} of ${toUpdate} updated${late}`);
  if (old > 0) return pending(`${old} old to go${late}`);
  if (availableReplicas < toBeAvailable) return pending(`${availableReplicas} of ${wanted} available${late}`);
  return met(`${availableReplicas} of ${wanted} available`);
}

interface Names extends Pick<ObjectKind, 'word' | 'aliases' | 'means'> {
  /** As manifests write it: `Deployment`. */
  readonly kind: string;
  /** As the API's paths write it: `deployments`. */
  readonly resource: string;
}

/** The kind of a workload, by name or labels, that is waited for until `judge` finds its rollout complete. */
export function rolloutKind({ kind, resource, ...names }: Names, judge: (workload: Workload) => Verdict): ObjectKind {
  const reference = { group: 'apps', version: 'v1', resource, kind, namespaced: true } as const;
  return {
    form: 'object',
    what: `a ${kind}`,
    ...names,
    by: 'name or labels',
    nameRule: 'subdomain',
    hasNamespace: true,
    options: ['condition', 'jsonpath', 'release'],
    canBeNegated: true,
    reads: ({ name }) => [{ resource: reference, by: 'watch', name }],
    make: (dependency, options, effects) =>
      objectWaiter<Workload>(dependency, options, effects, { resource: reference, judge, ofMany: 'all' }),
  };
}
