import { judgeDaemonSetRollout, judgeDeployment, judgeStatefulSet } from '../../src/kube/rollout.ts';
import { ending, is, judged, metadata } from '../wait/kinds/judged.ts';

const seen = { observedGeneration: 2 };
judged('a Deployment', [
  [
    'whose controller has not observed the latest spec',
    judgeDeployment({
      metadata,
      spec: { replicas: 1 },
      status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    }),
    'pending',
    'its controller has not seen the latest spec yet',
  ],
  [
    'that is being updated',
    judgeDeployment({
      metadata,
      spec: { replicas: 3 },
      status: { ...seen, replicas: 3, updatedReplicas: 1, availableReplicas: 3 },
    }),
    'pending',
    '1 of 3 updated',
  ],
  [
    'with an old replica',
    judgeDeployment({
      metadata,
      spec: { replicas: 3 },
      status: { ...seen, replicas: 4, updatedReplicas: 3, availableReplicas: 3 },
    }),
    'pending',
    '1 old to go',
  ],
  [
    'that is not available',
    judgeDeployment({ metadata, spec: { replicas: 3 }, status: { ...seen, replicas: 3, updatedReplicas: 3 } }),
    'pending',
    '0 of 3 available',
  ],
  [
    'that exceeds its progress deadline',
    judgeDeployment({
      metadata,
      status: { ...seen, conditions: [is('Progressing', 'False', { reason: 'ProgressDeadlineExceeded' })] },
    }),
    'pending',
    '0 of 1 updated, ProgressDeadlineExceeded',
  ],
  [
    'that is rolled out',
    judgeDeployment({
      metadata,
      spec: { replicas: 3 },
      status: { ...seen, replicas: 3, updatedReplicas: 3, availableReplicas: 3 },
    }),
    'met',
    '3 of 3 available',
  ],
  [
    'that is being deleted',
    judgeDeployment({ metadata: ending, status: { ...seen, replicas: 1, updatedReplicas: 1, availableReplicas: 1 } }),
    'skipped',
    'being deleted',
  ],
]);

const rolling = { currentRevision: 'a', updateRevision: 'b' };
judged('a StatefulSet', [
  [
    'whose controller has not observed the latest spec',
    judgeStatefulSet({ metadata }),
    'pending',
    'its controller has not seen the latest spec yet',
  ],
  [
    'that is being updated',
    judgeStatefulSet({
      metadata,
      spec: { replicas: 3 },
      status: { ...seen, ...rolling, availableReplicas: 3, updatedReplicas: 1 },
    }),
    'pending',
    '1 of 3 updated',
  ],
  [
    'that is updated above its partition',
    judgeStatefulSet({
      metadata,
      spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      status: { ...seen, ...rolling, availableReplicas: 3, updatedReplicas: 1 },
    }),
    'met',
    '3 of 3 available',
  ],
  [
    'that is updated when its Pods are deleted',
    judgeStatefulSet({
      metadata,
      spec: { replicas: 1, updateStrategy: { type: 'OnDelete' } },
      status: { ...seen, ...rolling, availableReplicas: 1 },
    }),
    'met',
    '1 of 1 available',
  ],
  [
    'that is not available',
    judgeStatefulSet({
      metadata,
      spec: { replicas: 3 },
      status: { ...seen, availableReplicas: 2, updatedReplicas: 3 },
    }),
    'pending',
    '2 of 3 available',
  ],
]);

judged("a DaemonSet's rollout", [
  [
    'that no controller has observed',
    judgeDaemonSetRollout({ metadata }),
    'pending',
    'its controller has not seen the latest spec yet',
  ],
  [
    'that is not on every node yet',
    judgeDaemonSetRollout({
      metadata,
      status: { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 },
    }),
    'pending',
    '1 of 2 updated',
  ],
  [
    'that is not available on every node',
    judgeDaemonSetRollout({
      metadata,
      status: { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 },
    }),
    'pending',
    '1 of 2 available',
  ],
  [
    'that is complete',
    judgeDaemonSetRollout({
      metadata,
      status: { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 },
    }),
    'met',
    '2 of 2 available',
  ],
]);
