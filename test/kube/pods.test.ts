import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf, progressOf, type Pod } from '../../src/kube/pods.ts';

type Status = NonNullable<Pod['status']>;

const spec = {
  initContainers: [{ name: 'wait' }, { name: 'logs', restartPolicy: 'Always' }],
  containers: [{ name: 'main' }],
};
const pod = (status: Status): Pod => ({ metadata: { name: 'x' }, spec, status });
const RUNNING = { running: { startedAt: 'now' } };
const killed = (exitCode: number, reason = 'Error') => ({ terminated: { exitCode, reason } });

/** What a kubelet reports, the problem, and what a wait says. */
const CASES: readonly (readonly [string, Status, problem: string | undefined, progress?: string])[] = [
  ['main runs', { containerStatuses: [{ name: 'main', state: RUNNING }] }, undefined],
  [
    'an init container runs',
    { initContainerStatuses: [{ name: 'wait', state: RUNNING, started: true }] },
    undefined,
    'pod/x, init container wait: running',
  ],
  ['a sidecar runs', { initContainerStatuses: [{ name: 'logs', state: RUNNING, started: true }] }, undefined],
  [
    'a sidecar starts',
    { initContainerStatuses: [{ name: 'logs', state: RUNNING, started: false }] },
    undefined,
    'pod/x, sidecar logs: its startup probe has not succeeded yet',
  ],
  [
    "a sidecar's startup probe fails",
    {
      initContainerStatuses: [
        { name: 'logs', state: RUNNING, started: false, restartCount: 3, lastState: killed(137) },
      ],
    },
    'pod/x, sidecar logs: its startup probe fails, 3 restarts, last exited with code 137',
  ],
  [
    'a container crashes',
    {
      containerStatuses: [
        {
          name: 'main',
          restartCount: 1,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting' } },
          lastState: killed(137, 'OOMKilled'),
        },
      ],
    },
    'pod/x, container main: CrashLoopBackOff, 1 restart, last exited with code 137 (OOMKilled)',
  ],
  [
    'an image is missing',
    {
      initContainerStatuses: [{ name: 'wait', state: { waiting: { reason: 'ErrImagePull', message: 'no such tag' } } }],
    },
    'pod/x, init container wait: ErrImagePull: no such tag',
  ],
  [
    'containers are being created',
    { containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ContainerCreating' } } }] },
    undefined,
  ],
  [
    'no node fits',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] },
    'pod/x: Unschedulable: 0/3 nodes',
  ],
  [
    'a container keeps the Pod of another that has ended',
    {
      containerStatuses: [
        { name: 'main', state: killed(0, 'Completed') },
        { name: 'mesh', state: RUNNING },
      ],
    },
    undefined,
    'pod/x, container mesh: still running, though container main has ended',
  ],
];

for (const [name, status, problem, progress = problem] of CASES)
  test(`a Pod's state: ${name}`, () => {
    assert.deepEqual([problemOf(pod(status)), progressOf(pod(status))], [problem, progress]);
  });
