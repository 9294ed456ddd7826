import type { ObjectKind } from '../kind.ts';
import type { Verdict } from '../verdict.ts';
import { judgeRollout, rolloutKind, type Workload } from './rollout.ts';

/** The parts of a Deployment that decide. */
export interface Deployment extends Workload {
  readonly spec?: { readonly replicas?: number };
  readonly status?: NonNullable<Workload['status']> & {
    readonly replicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

/** Whether a rollout is complete, as kubectl rollout status tells it. */
export function judgeDeployment(deployment: Deployment): Verdict {
  const wanted = deployment.spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, conditions = [] } = deployment.status ?? {};
  const isLate = conditions.some(({ reason }) => reason === 'ProgressDeadlineExceeded');
  return judgeRollout(deployment, {
    wanted,
    toUpdate: wanted,
    toBeAvailable: updatedReplicas,
    old: replicas - updatedReplicas,
    late: isLate ? ', ProgressDeadlineExceeded' : '',
  });
}

export const deployment: ObjectKind = rolloutKind(
  {
    word: 'deployment',
    aliases: ['deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
    kind: 'Deployment',
    means: 'its rollout is complete: all replicas updated and available, no old one left; labels: all of them',
    resource: 'deployments',
  },
  judgeDeployment,
);
