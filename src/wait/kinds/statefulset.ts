import { judgeStatefulSet } from '../../kube/rollout.ts';
import type { ObjectKind } from '../kind.ts';
import { fields, NUMBER, objectOf, TEXT } from '../shape.ts';
import { rolloutKind } from './rollout.ts';

export const statefulset: ObjectKind = rolloutKind(
  {
    word: 'statefulset',
    aliases: ['statefulsets', 'sts', 'statefulset.apps', 'statefulsets.apps'],
    kind: 'StatefulSet',
    means: 'its rollout is complete: all replicas updated (above the partition) and available; labels: all of them',
    resource: 'statefulsets',
    shape: objectOf({
      spec: fields({
        replicas: NUMBER,
        updateStrategy: fields({ type: TEXT, rollingUpdate: fields({ partition: NUMBER }) }),
      }),
      status: fields({
        observedGeneration: NUMBER,
        updatedReplicas: NUMBER,
        availableReplicas: NUMBER,
        currentRevision: TEXT,
        updateRevision: TEXT,
      }),
    }),
  },
  judgeStatefulSet,
);
