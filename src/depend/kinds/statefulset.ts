import { judgeStatefulSet } from '../../platform/kube/rollout.ts';
import type { ObjectKind } from '../kind.ts';
import { rolloutKind } from './rollout.ts';

export const statefulset: ObjectKind = rolloutKind(
  {
    word: 'statefulset',
    aliases: ['statefulsets', 'sts', 'statefulset.apps', 'statefulsets.apps'],
    kind: 'StatefulSet',
    means: 'its rollout is complete: all replicas updated (above the partition) and available; labels: all of them',
    resource: 'statefulsets',
  },
  judgeStatefulSet,
);
