import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeDaemonSet, selectorOf } from '../../../src/depend/kinds/daemonset.ts';
import { judgeDeployment } from '../../../src/depend/kinds/deployment.ts';
import { judgeStatefulSet } from '../../../src/depend/kinds/statefulset.ts';
import { ending, is, judged, metadata } from './judged.ts';

const seen = { observedGeneration: 2 };
judged('a Deployment', [
  [
    'whose controller is behind',
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
    'that takes too long',
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
    'passed over',
    'being deleted',
  ],
]);

const rolling = { currentRevision: 'a', updateRevision: 'b' };
judged('a StatefulSet', [
  [
    'whose controller is behind',
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

const owned = (more: object, owner = 'x') => ({
  metadata: { name: 'p', ownerReferences: [{ kind: 'DaemonSet', name: owner }] },
  ...more,
});
const settled = { ...seen, currentNumberScheduled: 1, desiredNumberScheduled: 1 };
judged('a DaemonSet', [
  [
    'whose Pod here is ready',
    judgeDaemonSet({ metadata }, [owned({ status: { conditions: [is('Ready')] } })], 'n', 'wait'),
    'met',
    'its Pod on node n is ready',
  ],
  [
    'whose Pod here is not ready',
    judgeDaemonSet({ metadata }, [owned({ status: { phase: 'Running' } })], 'n', 'ready'),
    'pending',
    'its Pod on node n: Running',
  ],
  [
    'with no Pod here',
    judgeDaemonSet({ metadata, status: settled }, [], 'n', 'wait'),
    'pending',
    'no Pod of it on node n',
  ],
  [
    'with no Pod here, where that is ready',
    judgeDaemonSet({ metadata, status: settled }, [], 'n', 'ready'),
    'met',
    'no Pod of it on node n',
  ],
  [
    'that has not made its Pods yet',
    judgeDaemonSet({ metadata, status: { ...settled, currentNumberScheduled: 0 } }, [], 'n', 'ready'),
    'pending',
    'no Pod of it on node n',
  ],
  [
    "with another's Pod of the same labels",
    judgeDaemonSet({ metadata }, [owned({ status: { conditions: [is('Ready')] } }, 'y')], 'n', 'wait'),
    'pending',
    'no Pod of it on node n',
  ],
]);

test("a DaemonSet's selector is written as the API takes it", () => {
  const matchExpressions = [
    { key: 'a', operator: 'In', values: ['x', 'y'] },
    { key: 'b', operator: 'NotIn', values: ['z'] },
    { key: 'c', operator: 'Exists' },
    { key: 'd', operator: 'DoesNotExist' },
  ];
  const spec = { selector: { matchLabels: { app: 'x' }, matchExpressions } };
  assert.equal(selectorOf({ metadata, spec }), 'app=x,a in (x,y),b notin (z),c,!d');
});
