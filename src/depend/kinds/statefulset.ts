import type { ObjectKind } from '../kind.ts';
import type { Verdict } from '../verdict.ts';
import { judgeRollout, rolloutKind, type Workload } from './rollout.ts';

/** The parts of a StatefulSet that decide. */
export interface StatefulSet extends Workload {
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
  };
  readonly status?: NonNullable<Workload['status']> & {
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

/** Whether a rollout is complete, as far as its update strategy takes it. */
export function judgeStatefulSet(statefulSet: StatefulSet): Verdict {
  const { replicas: wanted = 1, updateStrategy } = statefulSet.spec ?? {};
  const { currentRevision, updateRevision } = statefulSet.status ?? {};
  const isRolling = updateStrategy?.type !== 'OnDelete' && currentRevision !== updateRevision;
  // Those below the partition stay as they are.
  const toUpdate = isRolling ? Math.max(0, wanted - (updateStrategy?.rollingUpdate?.partition ?? 0)) : 0;
  return judgeRollout(statefulSet, { wanted, toUpdate, toBeAvailable: wanted, old: 0, late: '' });
}

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
