import type { KubeObject } from '../../platform/kube/types.ts';
import type { ObjectKind } from '../kind.ts';
import { objectWaiter } from '../objects.ts';
import { met, passedOver, pending, type Verdict } from '../verdict.ts';

/** The parts of a Deployment that decide. */
export interface Deployment extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

/** Whether a rollout is complete, as kubectl rollout status tells it. */
export function judgeDeployment({ metadata, spec, status = {} }: Deployment): Verdict {
  if (metadata.deletionTimestamp !== undefined) return passedOver('being deleted');
  const wanted = spec?.replicas ?? 1;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status;
  if (observedGeneration < (metadata.generation ?? 0))
    return pending('its controller has not seen the latest spec yet');
  const isLate = conditions.some(({ reason }) => reason === 'ProgressDeadlineExceeded');
  const late = isLate ? ', ProgressDeadlineExceeded' : '';
  if (updatedReplicas < wanted) return pending(`${updatedReplicas} of ${wanted} updated${late}`);
  if (replicas > updatedReplicas) return pending(`${replicas - updatedReplicas} old to go${late}`);
  if (availableReplicas < updatedReplicas) return pending(`${availableReplicas} of ${wanted} available${late}`);
  return met(`${availableReplicas} of ${wanted} available`);
}

const RESOURCE = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
} as const;

export const deployment: ObjectKind = {
  form: 'object',
  word: 'deployment',
  aliases: ['deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
  what: 'a Deployment',
  means: 'its rollout is complete: all replicas updated and available, no old one left; labels: all of them',
  by: 'name or labels',
  nameRule: 'subdomain',
  hasNamespace: true,
  options: ['condition', 'jsonpath', 'release'],
  canBeNegated: true,
  reads: ({ name }) => [{ resource: RESOURCE, by: 'watch', name }],
  make: (dependency, options, effects) =>
    objectWaiter<Deployment>(dependency, options, effects, {
      resource: RESOURCE,
      judge: judgeDeployment,
      ofMany: 'all',
    }),
};
