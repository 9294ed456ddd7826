import { judgeDeployment } from '../../platform/kube/rollout.ts';
import type { ObjectKind } from '../kind.ts';
import { rolloutKind } from './rollout.ts';

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
