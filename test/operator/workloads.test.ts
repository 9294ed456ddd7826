import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workloadsState } from '../../src/operator/service/workloads.ts';

const OBJECTS = [{ kind: 'Job', name: 'glance-bootstrap' }];

async function stateOf(status: object): Promise<Awaited<ReturnType<typeof workloadsState>>> {
  return await workloadsState(OBJECTS, () => ({ metadata: { name: 'glance-bootstrap' }, status }));
}

test('a Job that Kubernetes still retries says how often it has failed', async () => {
  assert.deepEqual((await stateOf({})).pending, ['job/glance-bootstrap: not complete']);
  assert.deepEqual((await stateOf({ failed: 1 })).pending, ['job/glance-bootstrap: not complete, failed once so far']);
  assert.deepEqual((await stateOf({ failed: 4 })).pending, [
    'job/glance-bootstrap: not complete, failed 4 times so far',
  ]);
});

test('a Job that has ended is complete or failed, whatever came before', async () => {
  const complete = { failed: 2, conditions: [{ type: 'Complete', status: 'True' }] };
  assert.deepEqual((await stateOf(complete)).pending, []);
  const failed = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'too often' }];
  assert.deepEqual((await stateOf({ failed: 21, conditions: failed })).failed, [
    { job: 'glance-bootstrap', why: 'BackoffLimitExceeded: too often' },
  ]);
});
