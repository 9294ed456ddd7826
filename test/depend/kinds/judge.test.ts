import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeContainer, whyInVain } from '../../../src/depend/kinds/container.ts';
import { judgeDaemonSet, selectorOf } from '../../../src/depend/kinds/daemonset.ts';
import { judgeDeployment } from '../../../src/depend/kinds/deployment.ts';
import { judgeJob } from '../../../src/depend/kinds/job.ts';
import { judgeNode } from '../../../src/depend/kinds/node.ts';
import { judgePod } from '../../../src/depend/kinds/pod.ts';
import { judgePresence } from '../../../src/depend/kinds/presence.ts';
import { judgeSlices } from '../../../src/depend/kinds/service.ts';
import { judgeStatefulSet } from '../../../src/depend/kinds/statefulset.ts';
import { judgeRecord } from '../../../src/depend/record.ts';
import { together, type Verdict } from '../../../src/depend/verdict.ts';

const metadata = { name: 'x', generation: 2 };
const ending = { ...metadata, deletionTimestamp: 'now' };
const is = (type: string, status = 'True', more: object = {}) => ({ type, status, ...more });

function judged(what: string, cases: readonly (readonly [string, Verdict, Verdict['is'], string])[]): void {
  for (const [name, verdict, expected, state] of cases)
    test(`${what} ${name} is ${expected}`, () => assert.deepEqual(verdict, { is: expected, state }));
}

judged('a Job', [
  ['without a status', judgeJob({ metadata }), 'pending', '0 active'],
  [
    'with failures behind it',
    judgeJob({ metadata, spec: { backoffLimit: 2 }, status: { active: 1, failed: 1 } }),
    'pending',
    '1 active, 1 failed of at most 3',
  ],
  ['that is suspended', judgeJob({ metadata, spec: { suspend: true } }), 'passed over', 'suspended'],
  ['that is being deleted', judgeJob({ metadata: ending }), 'passed over', 'being deleted'],
  [
    'whose Complete is not True',
    judgeJob({ metadata, status: { active: 1, conditions: [is('Complete', 'False')] } }),
    'pending',
    '1 active',
  ],
  [
    'whose criteria are met but whose Pods still end',
    judgeJob({ metadata, status: { conditions: [is('SuccessCriteriaMet')] } }),
    'pending',
    'succeeded, its Pods are ending',
  ],
  [
    'that is about to fail',
    judgeJob({ metadata, status: { conditions: [is('FailureTarget', 'True', { reason: 'DeadlineExceeded' })] } }),
    'pending',
    'failing: DeadlineExceeded',
  ],
  [
    'that is Complete',
    judgeJob({ metadata, status: { conditions: [is('SuccessCriteriaMet'), is('Complete')] } }),
    'met',
    'Complete',
  ],
  [
    'that is Complete and being deleted',
    judgeJob({ metadata: ending, status: { conditions: [is('Complete')] } }),
    'met',
    'Complete',
  ],
  [
    'that failed',
    judgeJob({
      metadata,
      status: { conditions: [is('Failed', 'True', { reason: 'BackoffLimitExceeded', message: 'too often' })] },
    }),
    'failed',
    'failed: BackoffLimitExceeded: too often',
  ],
  [
    'that failed and makes room for another',
    judgeJob({ metadata: ending, status: { conditions: [is('Failed', 'True', { reason: 'BackoffLimitExceeded' })] } }),
    'passed over',
    'failed and being deleted: BackoffLimitExceeded',
  ],
]);

const endpoint = (conditions: object, addresses = ['10.0.0.1']) => ({ addresses, conditions });
judged('a Service', [
  ['without endpoints', judgeSlices([{ metadata, endpoints: null }]), 'pending', '0 of 0 ready'],
  [
    'with an endpoint of which nothing is said',
    judgeSlices([{ metadata, endpoints: [endpoint({})] }]),
    'met',
    '1 of 1 ready',
  ],
  [
    'with an endpoint that is not ready',
    judgeSlices([{ metadata, endpoints: [endpoint({ ready: false })] }]),
    'pending',
    '0 of 1 ready',
  ],
  [
    'whose only endpoint is terminating',
    judgeSlices([{ metadata, endpoints: [endpoint({ ready: true, terminating: true })] }]),
    'pending',
    '0 of 1 ready',
  ],
  [
    'with an endpoint without address',
    judgeSlices([{ metadata, endpoints: [endpoint({ ready: true }, [])] }]),
    'pending',
    '0 of 1 ready',
  ],
  [
    'with a ready endpoint in its second slice',
    judgeSlices([
      { metadata, endpoints: [endpoint({ ready: false })] },
      { metadata, endpoints: [endpoint({ ready: true })] },
    ]),
    'met',
    '1 of 2 ready',
  ],
]);

const status = (ready: boolean, name = 'c', reason?: string) => ({
  name,
  ready,
  ...(reason === undefined ? {} : { state: { waiting: { reason } } }),
});
judged('a Pod', [
  ['that is not scheduled yet', judgePod({ metadata }), 'pending', 'Pending'],
  [
    'that runs but is not ready',
    judgePod({
      metadata,
      status: {
        phase: 'Running',
        conditions: [is('Ready', 'False')],
        containerStatuses: [status(false), status(true)],
      },
    }),
    'pending',
    'Running, 1 of 2 ready',
  ],
  [
    'whose image is missing',
    judgePod({ metadata, status: { phase: 'Pending', containerStatuses: [status(false, 'c', 'ImagePullBackOff')] } }),
    'pending',
    'Pending, 0 of 1 ready: ImagePullBackOff',
  ],
  ['that is ready', judgePod({ metadata, status: { phase: 'Running', conditions: [is('Ready')] } }), 'met', 'Ready'],
  [
    'that is ready and being deleted',
    judgePod({ metadata: ending, status: { phase: 'Running', conditions: [is('Ready')] } }),
    'passed over',
    'being deleted',
  ],
  ['that has ended', judgePod({ metadata, status: { phase: 'Succeeded' } }), 'passed over', 'ended: Succeeded'],
]);

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

judged('a Node', [
  ['that never reported', judgeNode({ metadata }), 'pending', 'Ready=unknown'],
  [
    'that is lost',
    judgeNode({ metadata, status: { conditions: [is('Ready', 'Unknown', { reason: 'NodeStatusUnknown' })] } }),
    'pending',
    'Ready=Unknown (NodeStatusUnknown)',
  ],
  ['that is ready', judgeNode({ metadata, status: { conditions: [is('Ready')] } }), 'met', 'Ready'],
]);

judged('a Secret', [
  ['that is there', judgePresence({ metadata }), 'met', 'is there'],
  ['that is being deleted', judgePresence({ metadata: ending }), 'passed over', 'being deleted'],
]);

const recorded = (state: string, release?: string) => ({
  metadata: {
    ...metadata,
    annotations: {
      'kolla-pod/state': state,
      'kolla-pod/phase': 'expand',
      ...(release === undefined ? {} : { 'kolla-pod/release': release }),
    },
  },
});
judged('a migration', [
  ['that left no word', judgeRecord({ metadata }, undefined), 'pending', 'nothing recorded yet'],
  ['that runs', judgeRecord(recorded('running'), undefined), 'pending', 'running (expand)'],
  ['that is done', judgeRecord(recorded('done', '2026.1'), undefined), 'met', 'done (expand) for release 2026.1'],
  [
    'that is done for another release',
    judgeRecord(recorded('done', '2025.2'), '2026.1'),
    'pending',
    'done (expand), but for release 2025.2, not 2026.1',
  ],
]);

judged('a container', [
  ['of which nothing is said', judgeContainer({ metadata }, 'c'), 'pending', 'not started yet'],
  ['that is ready', judgeContainer({ metadata, status: { containerStatuses: [status(true)] } }, 'c'), 'met', 'ready'],
  [
    'that is a ready native sidecar',
    judgeContainer({ metadata, status: { initContainerStatuses: [status(true, 's')] } }, 's'),
    'met',
    'ready',
  ],
  [
    'that waits',
    judgeContainer({ metadata, status: { containerStatuses: [status(false, 'c', 'PodInitializing')] } }, 'c'),
    'pending',
    'waiting: PodInitializing',
  ],
  [
    'that runs but is not ready',
    judgeContainer({ metadata, status: { containerStatuses: [status(false)] } }, 'c'),
    'pending',
    'not ready',
  ],
  [
    'that has ended',
    judgeContainer(
      {
        metadata,
        status: {
          containerStatuses: [{ name: 'c', ready: false, state: { terminated: { exitCode: 1, reason: 'Error' } } }],
        },
      },
      'c',
    ),
    'pending',
    'ended with 1 (Error)',
  ],
]);

const POD = {
  metadata,
  spec: {
    initContainers: [{ name: 'sidecar', restartPolicy: 'Always' }, { name: 'init' }, { name: 'later' }],
    containers: [{ name: 'main' }],
  },
};
for (const [name, own, why] of [
  ['sidecar', 'init', undefined],
  ['main', undefined, undefined],
  ['main', 'sidecar', undefined],
  ['init', 'init', /this very container/],
  ['main', 'init', /starts only when this init container \(init\) has ended/],
  ['later', 'init', /starts only when/],
  ['mian', 'init', /no such container; it has sidecar, init, later, main/],
] as const) {
  test(`waiting for container ${name} as ${own ?? 'who knows'} is ${why === undefined ? 'worth it' : 'in vain'}`, () => {
    const found = whyInVain(POD, name, own);
    if (why === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', why);
  });
}

const yes: Verdict = { is: 'met', state: 'ok' };
const no: Verdict = { is: 'pending', state: 'not yet' };
const out: Verdict = { is: 'passed over', state: 'suspended' };
const dead: Verdict = { is: 'failed', state: 'failed: x' };
judged('a set', [
  [
    'of which all are met',
    together(
      [
        ['a', yes],
        ['b', yes],
      ],
      'all',
    ),
    'met',
    '2 of 2',
  ],
  [
    'of which one is not, where all must be',
    together(
      [
        ['a', yes],
        ['b', no],
      ],
      'all',
    ),
    'pending',
    '1 of 2; b: not yet',
  ],
  [
    'of which one is met, where that is enough',
    together(
      [
        ['a', no],
        ['b', yes],
      ],
      'any',
    ),
    'met',
    'b: ok',
  ],
  [
    'of which some do not count',
    together(
      [
        ['a', yes],
        ['b', out],
      ],
      'all',
    ),
    'met',
    '1 of 1',
  ],
  ['of which none counts', together([['a', out]], 'all'), 'pending', 'none of 1 counts; a: suspended'],
  ['of nothing', together([], 'all'), 'pending', 'none of 0 counts'],
  [
    'of which one has failed',
    together(
      [
        ['a', yes],
        ['b', dead],
      ],
      'all',
    ),
    'failed',
    'b failed: x',
  ],
]);
