import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeContainer, whyNeverReady } from '../../../src/wait/kinds/container.ts';
import { judgeJob } from '../../../src/wait/kinds/job.ts';
import { judgeNode } from '../../../src/wait/kinds/node.ts';
import { judgePod } from '../../../src/wait/kinds/pod.ts';
import { judgePresence } from '../../../src/wait/kinds/presence.ts';
import { judgeSlices } from '../../../src/wait/kinds/service.ts';
import { judgeRecord } from '../../../src/wait/kinds/record.ts';
import { ending, is, judged, metadata } from './judged.ts';

judged('a Job', [
  ['without a status', judgeJob({ metadata }), 'pending', '0 active'],
  [
    'with earlier failures',
    judgeJob({ metadata, spec: { backoffLimit: 2 }, status: { active: 1, failed: 1 } }),
    'pending',
    '1 active, 1 failed of at most 3',
  ],

  [
    'with failed Pods and a limit per index',
    judgeJob({
      metadata,
      spec: { backoffLimit: 2_147_483_647, backoffLimitPerIndex: 1 },
      status: { active: 1, failed: 1 },
    }),
    'pending',
    '1 active, 1 failed of at most 2 per index',
  ],
  ['that is suspended', judgeJob({ metadata, spec: { suspend: true } }), 'skipped', 'suspended'],
  ['that is being deleted', judgeJob({ metadata: ending }), 'skipped', 'being deleted'],
  [
    'whose condition Complete is not True',
    judgeJob({ metadata, status: { active: 1, conditions: [is('Complete', 'False')] } }),
    'pending',
    '1 active',
  ],
  [
    'whose criteria are met, with terminating Pods',
    judgeJob({ metadata, status: { conditions: [is('SuccessCriteriaMet')] } }),
    'pending',
    'succeeded, its Pods are terminating',
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
    'that failed and is being deleted',
    judgeJob({ metadata: ending, status: { conditions: [is('Failed', 'True', { reason: 'BackoffLimitExceeded' })] } }),
    'skipped',
    'failed and being deleted: BackoffLimitExceeded',
  ],
]);

const endpoint = (conditions: object, addresses = ['10.0.0.1']) => ({ addresses, conditions });
judged('a Service', [
  ['without endpoints', judgeSlices([{ metadata, endpoints: null }]), 'pending', '0 of 0 ready'],
  [
    'with an endpoint without conditions',
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
    'that is running but not ready',
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
    'Pending, 0 of 1 ready: container c: ImagePullBackOff',
  ],
  ['that is ready', judgePod({ metadata, status: { phase: 'Running', conditions: [is('Ready')] } }), 'met', 'Ready'],
  [
    'that is ready and being deleted',
    judgePod({ metadata: ending, status: { phase: 'Running', conditions: [is('Ready')] } }),
    'skipped',
    'being deleted',
  ],
  ['that has ended', judgePod({ metadata, status: { phase: 'Succeeded' } }), 'skipped', 'ended: Succeeded'],
]);

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
  ['that exists', judgePresence({ metadata }), 'met', 'is there'],
  ['that is being deleted', judgePresence({ metadata: ending }), 'skipped', 'being deleted'],
]);

const recorded = (state: string, release?: string, readyFor?: string, phase = 'expand') => ({
  metadata: {
    ...metadata,
    annotations: {
      'kolla-pod/state': state,
      'kolla-pod/phase': phase,
      ...(release === undefined ? {} : { 'kolla-pod/release': release }),
      ...(readyFor === undefined ? {} : { 'kolla-pod/ready-for': readyFor }),
    },
  },
});
judged('a migration', [
  ['without a record', judgeRecord({ metadata }, undefined), 'pending', 'nothing recorded yet'],
  [
    'that is running',
    judgeRecord(recorded('running'), undefined),
    'pending',
    'running (expand) of a release without a name',
  ],
  [
    'with a completed phase that is not the last before a rollout',
    judgeRecord(recorded('done', '2026.1'), undefined),
    'pending',
    'done (expand) of release 2026.1',
  ],
  [
    'that is ready for any release',
    judgeRecord(recorded('done', '2026.1', '2026.1'), undefined),
    'met',
    'ready for release 2026.1',
  ],
  [
    'that is ready for a release without a name',
    judgeRecord(recorded('done', undefined, ''), undefined),
    'met',
    'ready for a release without a name',
  ],
  [
    'whose next phase is running next to the service',
    judgeRecord(recorded('running', '2026.2', '2026.1'), '2026.1'),
    'met',
    'ready for release 2026.1',
  ],
  [
    'whose next phase has failed next to the service',
    judgeRecord(recorded('failed', '2026.2', '2026.1'), undefined),
    'met',
    'ready for release 2026.1',
  ],
  [
    'that is ready for another release',
    judgeRecord(recorded('running', '2026.1', '2025.2'), '2026.1'),
    'pending',
    'ready for release 2025.2, not 2026.1; running (expand) of release 2026.1',
  ],
  ...(['contract', 'online'] as const).map(
    (phase) =>
      [
        `whose ${phase} of a newer release has begun`,
        judgeRecord(recorded('running', '2026.1-ubuntu-noble', '2026.1-ubuntu-noble', phase), '2025.2'),
        'refused',
        `Lease x: contract of 2026.1-ubuntu-noble has begun, and 2025.2 does not run on its schema; set the release to 2026.1-ubuntu-noble, or restore the backup and delete the Lease`,
      ] as const,
  ),
  [
    'whose contract of an older release is done',
    judgeRecord(recorded('done', '2026.1', '2026.1', 'contract'), '2026.2'),
    'pending',
    'ready for release 2026.1, not 2026.2; done (contract) of release 2026.1',
  ],
  [
    'whose contract is of a release that cannot be compared',
    judgeRecord(recorded('done', 'main', 'main', 'contract'), '2025.2'),
    'pending',
    'ready for release main, not 2025.2; done (contract) of release main',
  ],
  [
    'whose contract of a newer release has begun without its migrate',
    judgeRecord(recorded('failed', '2026.1', '2025.2', 'contract'), undefined),
    'refused',
    'Lease x: contract of 2026.1 has begun, and 2025.2 does not run on its schema; set the release to 2026.1, or restore the backup and delete the Lease',
  ],
]);

judged('a container', [
  ['without a status', judgeContainer({ metadata }, 'c'), 'pending', 'not started yet'],
  ['that is ready', judgeContainer({ metadata, status: { containerStatuses: [status(true)] } }, 'c'), 'met', 'ready'],
  [
    'that is a ready native sidecar',
    judgeContainer({ metadata, status: { initContainerStatuses: [status(true, 's')] } }, 's'),
    'met',
    'ready',
  ],
  [
    'that is waiting',
    judgeContainer({ metadata, status: { containerStatuses: [status(false, 'c', 'PodInitializing')] } }, 'c'),
    'pending',
    'waiting: PodInitializing',
  ],
  [
    'that is running but not ready',
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
    'exited with code 1 (Error)',
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
  ['init', 'init', /our own container/],
  ['main', 'init', /starts only after this init container \(init\) has exited/],
  ['later', 'init', /starts only after/],
  ['mian', 'init', /no such container; it has sidecar, init, later, main/],
] as const) {
  test(`waiting for container ${name} as ${own ?? 'an unknown one'} is ${why === undefined ? 'possible' : 'futile'}`, () => {
    const found = whyNeverReady(POD, name, own);
    if (why === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', why);
  });
}
