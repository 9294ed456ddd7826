import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnavailableError } from '../../src/cli/errors.ts';
import { judge, job, type Job } from '../../src/depend/kinds/job.ts';
import type { KubeObject, Observation } from '../../src/platform/kube/index.ts';
import { onlyWatching } from '../platform/kube/support.ts';

const metadata = { name: 'sync' };
const condition = (type: string, more: object = {}) => ({ type, status: 'True', ...more });
const failed: Job = {
  metadata,
  status: { conditions: [condition('Failed', { reason: 'BackoffLimitExceeded', message: 'too often' })] },
};
const complete: Job = { metadata, status: { conditions: [condition('SuccessCriteriaMet'), condition('Complete')] } };

for (const [name, object, expected] of [
  ['without a status', { metadata }, { is: 'pending', state: '0 active' }],
  [
    'with failures behind it',
    { metadata, spec: { backoffLimit: 2 }, status: { active: 1, failed: 1 } },
    { is: 'pending', state: '1 active, 1 failed of at most 3' },
  ],
  ['that is suspended', { metadata, spec: { suspend: true } }, { is: 'pending', state: 'suspended' }],
  [
    'that is being deleted',
    { metadata: { ...metadata, deletionTimestamp: 'now' } },
    { is: 'pending', state: 'being deleted' },
  ],
  [
    'whose Complete is not True',
    { metadata, status: { active: 1, conditions: [{ type: 'Complete', status: 'False' }] } },
    { is: 'pending', state: '1 active' },
  ],
  [
    'whose criteria are met but whose Pods still end',
    { metadata, status: { conditions: [condition('SuccessCriteriaMet')] } },
    { is: 'pending', state: 'succeeded, its Pods are ending' },
  ],
  ['that is Complete', complete, { is: 'complete', state: 'Complete' }],
  ['that failed', failed, { is: 'failed', state: 'failed: BackoffLimitExceeded: too often' }],
] as [string, Job, ReturnType<typeof judge>][]) {
  test(`a Job ${name} is judged ${expected.is}`, () => {
    assert.deepEqual(judge(object), expected);
  });
}

function waitOn(observations: readonly Observation<Job>[], onFailedJob: 'fail' | 'wait' = 'fail') {
  const client = onlyWatching(async function* <T extends KubeObject>() {
    for (const observation of observations) yield observation as Observation<T>;
  });
  const states: string[] = [];
  const waiter = job(
    { kind: 'job', text: 'job/sync', name: 'sync', namespace: undefined },
    { onFailedJob, caFile: undefined },
    { kube: () => Promise.resolve(client), warn: () => {} },
  );
  const result = waiter.wait((state) => states.push(state), new AbortController().signal);
  return { states, result, waiter };
}

test('a failed Job ends the wait with its reason and the command that shows its log', async () => {
  await assert.rejects(waitOn([{ kind: 'object', object: failed }]).result, (error) => {
    assert.ok(error instanceof UnavailableError);
    assert.match(error.message, /^job\/sync failed: BackoffLimitExceeded: too often; .*kubectl -n own logs job\/sync/);
    return true;
  });
});

test('a failed Job may be replaced by another when that is asked for', async () => {
  const { states, result } = waitOn(
    [
      { kind: 'object', object: failed },
      { kind: 'deleted', object: failed },
      { kind: 'object', object: complete },
    ],
    'wait',
  );
  assert.equal(await result, 'Complete');
  assert.deepEqual(states, [
    'failed: BackoffLimitExceeded: too often; waiting for another',
    'deleted; waiting for another',
  ]);
});

test('a Job that its TTL removed after its end was complete', async () => {
  assert.equal(await waitOn([{ kind: 'deleted', object: complete }]).result, 'Complete');
});

test('after trouble with the API server the last state is told again', async () => {
  const { states, result } = waitOn([
    { kind: 'absent' },
    { kind: 'trouble', reason: 'ECONNREFUSED' },
    { kind: 'connected' },
    { kind: 'object', object: complete },
  ]);
  await result;
  const absent = 'no such Job in namespace own yet';
  assert.deepEqual(states, [absent, 'API server: ECONNREFUSED', absent]);
});

test('the hint names the namespace once it is known', async () => {
  const { waiter, result } = waitOn([{ kind: 'object', object: complete }]);
  await result;
  assert.equal(waiter.hint(), 'kubectl -n own describe job/sync');
});
