import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWorkload } from '../../../src/kube/rollout-kinds.ts';
import { judgeRemains, type ReplicaPod, type Replicas } from '../../../src/migrate/rollout/pods.ts';

const NEW = '2026.1';
const labels = (release: string) => ({ 'app.kubernetes.io/version': release });

function pod(name: string, hash: string, more: object = {}): ReplicaPod {
  const owner = { kind: 'ReplicaSet', name: `keystone-${hash}`, uid: `set-${hash}`, controller: true };
  return {
    metadata: { name, labels: { 'pod-template-hash': hash }, ownerReferences: [owner], ...more },
    spec: { nodeName: 'n1' },
    status: { phase: 'Running' },
  };
}

function replicaSet(hash: string, revision: string, owner = 'keystone') {
  return {
    metadata: {
      name: `keystone-${hash}`,
      labels: { 'pod-template-hash': hash },
      annotations: { 'deployment.kubernetes.io/revision': revision },
      ownerReferences: [{ kind: 'Deployment', name: owner, uid: `uid-${owner}`, controller: true }],
    },
  };
}

/** A Deployment that has completed the rollout of the new release b, after a. */
function rolledOut(pods: readonly ReplicaPod[], change: { spec?: object; status?: object; template?: object } = {}) {
  const replicas: Replicas = {
    workload: {
      metadata: {
        name: 'keystone',
        uid: 'uid-keystone',
        generation: 2,
        annotations: { 'deployment.kubernetes.io/revision': '2' },
      },
      spec: { replicas: 1, template: { metadata: change.template ?? { labels: labels(NEW) } }, ...change.spec },
      status: { observedGeneration: 2, ...counts(1), ...change.status },
    },
    revisions: [replicaSet('a', '1'), replicaSet('b', '2')],
    pods,
  };
  return replicas;
}

function counts(count: number): object {
  return { replicas: count, updatedReplicas: count, availableReplicas: count };
}

const { kind: deployment } = parseWorkload('deployment/keystone', '--after-rollout');

for (const [what, replicas, isGone, state] of [
  ['whose Pods are all of the new template', rolledOut([pod('y', 'b')]), true, '1 of 1 available, no old Pod is left'],
  [
    'with a Pod of an older template',
    rolledOut([pod('x', 'a'), pod('y', 'b')]),
    false,
    '1 of 1 available; still there: x (on n1)',
  ],
  [
    'with a terminating Pod',
    rolledOut([pod('x', 'a', { deletionTimestamp: '2026-11-21T10:00:30Z' }), pod('y', 'b')]),
    false,
    '1 of 1 available; still there: x (on n1, terminating, until 2026-11-21T10:00:30Z)',
  ],
  [
    'with an old Pod that has ended',
    rolledOut([{ ...pod('x', 'a'), status: { phase: 'Failed' } }, pod('y', 'b')]),
    true,
    '1 of 1 available, no old Pod is left',
  ],
  [
    "with another workload's Pods of the same labels",
    {
      ...rolledOut([
        pod('y', 'b'),
        pod('job', 'x', { ownerReferences: [{ kind: 'Job', name: 'contract', uid: 'j', controller: true }] }),
        pod('other', 'z'),
      ]),
      revisions: [replicaSet('b', '2'), replicaSet('z', '1', 'other')],
    },
    true,
    '1 of 1 available, no old Pod is left',
  ],
  [
    'with a Pod whose ReplicaSet is missing',
    rolledOut([pod('x', 'gone'), pod('y', 'b')]),
    false,
    '1 of 1 available; still there: x (on n1)',
  ],
  [
    'with a Pod without a controller',
    rolledOut([pod('x', 'a', { ownerReferences: [] }), pod('y', 'b')]),
    false,
    '1 of 1 available; still there: x (on n1)',
  ],
  [
    'whose rollout has not started',
    rolledOut([pod('y', 'b')], { template: { labels: labels('2025.2') } }),
    false,
    'its Pods are of release 2025.2, not 2026.1; still there: y (on n1)',
  ],
  [
    'whose release is an annotation',
    rolledOut([pod('y', 'b')], {
      template: { labels: labels('29.0.1'), annotations: { 'kolla-pod/release': NEW } },
    }),
    true,
    '1 of 1 available, no old Pod is left',
  ],
  [
    'that does not name its release',
    rolledOut([pod('y', 'b')], { template: {} }),
    false,
    'its Pod template does not name release 2026.1: ' +
      'label app.kubernetes.io/version or annotation kolla-pod/release; still there: y (on n1)',
  ],
  [
    'that is being rolled out',
    rolledOut([pod('x', 'a'), pod('y', 'b')], { status: { replicas: 2, updatedReplicas: 1 } }),
    false,
    '1 old to go; still there: x (on n1)',
  ],
  [
    'that is scaled to 0 with a Pod left',
    rolledOut([pod('x', 'a', { deletionTimestamp: 'soon' })], { spec: { replicas: 0 }, status: counts(0) }),
    false,
    'no Pod is wanted; still there: x (on n1, terminating, until soon)',
  ],
  [
    'that is scaled to 0, also with the old release',
    rolledOut([], { spec: { replicas: 0, template: { metadata: {} } }, status: counts(0) }),
    true,
    'no Pod is wanted, and none is left',
  ],
  [
    'whose latest ReplicaSet has not been observed',
    { ...rolledOut([pod('y', 'b')]), revisions: [replicaSet('a', '1')] },
    false,
    'the latest template is not known yet',
  ],
] as const satisfies readonly (readonly [string, Replicas, boolean, string])[]) {
  test(`a Deployment ${what} has ${isGone ? 'no' : 'an'} old replica left`, () => {
    assert.deepEqual(judgeRemains(deployment, replicas, NEW), { isGone, state });
  });
}

test('five of many remaining Pods are named', () => {
  const pods = Array.from({ length: 7 }, (_, i) => pod(`x${i}`, 'a'));
  assert.match(judgeRemains(deployment, rolledOut(pods), NEW).state, /x4 \(on n1\) and 2 more$/);
});

function inSet(name: string, hash: string, uid = 'uid'): ReplicaPod {
  const ownerReferences = [{ kind: 'StatefulSet', name: 'db', uid, controller: true }];
  return {
    metadata: { name, labels: { 'controller-revision-hash': hash }, ownerReferences },
    spec: { nodeName: 'n1' },
  };
}

function statefulSet(updateStrategy: object): Replicas['workload'] {
  const status = { observedGeneration: 1, updateRevision: 'db-b', currentRevision: 'db-a', ...counts(2) };
  return {
    metadata: { name: 'db', uid: 'uid', generation: 1 },
    spec: { replicas: 2, updateStrategy, template: { metadata: { labels: labels(NEW) } } },
    status,
  };
}

for (const [strategy, why] of [
  [{ type: 'OnDelete' }, 'OnDelete: each old Pod stays until it is deleted'],
  [{ type: 'RollingUpdate', rollingUpdate: { partition: 1 } }, 'partition 1: Pods below it are not updated'],
] as const)
  test(`a StatefulSet that keeps an old Pod with strategy ${strategy.type} has one left`, () => {
    const { kind } = parseWorkload('sts/db', '--after-rollout');
    const pods = [inSet('db-0', 'db-a'), inSet('db-1', 'db-b')];
    const { isGone, state } = judgeRemains(kind, { workload: statefulSet(strategy), revisions: [], pods }, NEW);
    assert.deepEqual([isGone, state], [false, `2 of 2 available (${why}); still there: db-0 (on n1)`]);
  });

test('a Pod of a deleted and re-created StatefulSet is an old one', () => {
  const { kind } = parseWorkload('sts/db', '--after-rollout');
  const pods = [inSet('db-0', 'db-b', 'uid of the one before'), inSet('db-1', 'db-b')];
  const workload = statefulSet({ type: 'RollingUpdate' });
  assert.match(judgeRemains(kind, { workload, revisions: [], pods }, NEW).state, /still there: db-0/);
});

test('the latest template of a DaemonSet is that of its highest revision, also after a rollback', () => {
  const { kind } = parseWorkload('ds/agent', '--after-rollout');
  const revision = (hash: string, number: number, uid = 'uid') => ({
    metadata: {
      name: `agent-${hash}`,
      labels: { 'controller-revision-hash': hash },
      ownerReferences: [{ kind: 'DaemonSet', name: 'agent', uid, controller: true }],
    },
    revision: number,
  });
  const own = [revision('a', 3), revision('b', 2)];
  assert.equal(kind.latestHash({ metadata: { name: 'agent', uid: 'uid' } }, own), 'a');
});
