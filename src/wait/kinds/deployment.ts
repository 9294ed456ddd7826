import { judgeDeployment } from '../../kube/rollout.ts';
import type { ObjectKind } from '../kind.ts';
import { CONDITION, fields, listOfFields, NUMBER, objectOf } from '../shape.ts';
import { rolloutKind } from './rollout.ts';

export const deployment: ObjectKind = rolloutKind(
  {
    word: 'deployment',
    aliases: ['deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
    kind: 'Deployment',
    means: 'its rollout is complete: all replicas updated and available, no old one left; labels: all of them',
    resource: 'deployments',
    shape: objectOf({
      spec: fields({ replicas: NUMBER }),
      status: fields({
        observedGeneration: NUMBER,
        replicas: NUMBER,
        updatedReplicas: NUMBER,
        availableReplicas: NUMBER,
        conditions: listOfFields(CONDITION),
      }),
    }),
  },
  judgeDeployment,
);
