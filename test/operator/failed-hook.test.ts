import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient } from '../../src/kube/types.ts';
import { withJobReason } from '../../src/operator/service/failed-hook.ts';

const { signal } = new AbortController();
const HELM_4 =
  'pre-upgrade hooks failed: resource Job/openstack/keystone-expand-r3 not ready. status: Failed, message: x';
const HELM_3 =
  'pre-upgrade hooks failed: 1 error occurred:\n\t* job keystone-expand-r3 failed: BackoffLimitExceeded\n\n';
const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'too often' };
const job = { metadata: { name: 'keystone-expand-r3' }, status: { failed: 2, conditions: [failed] } };
const pod = (creationTimestamp: string, message: string) => ({
  metadata: { name: creationTimestamp, creationTimestamp },
  status: { containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 1, message } } }] },
});
const pods = [pod('2026-11-28T03:00:02Z', 'the last'), pod('2026-11-28T03:00:01Z', 'the first')];

function clientOf(found: unknown): KubeClient {
  const get = (path: string) => {
    if (path.includes('/pods?')) return Promise.resolve({ items: pods });
    assert.match(path, /\/namespaces\/openstack\/jobs\/keystone-expand-r3$/);
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  };
  return { get } as unknown as KubeClient;
}
const reasonAfter = async (error: string, found: unknown = job, withWords = true) =>
  (await withJobReason(clientOf(found), 'openstack', error, withWords, signal)).slice(error.length);

test('a failed hook has the condition of its Job and the last message of its newest Pod, with each Helm', async () => {
  for (const error of [HELM_4, HELM_3])
    assert.equal(await reasonAfter(error), '; job/keystone-expand-r3: BackoffLimitExceeded: too often: the last');
});

test("where a template may print a Secret, the Pod's message is left out", async () => {
  assert.equal(await reasonAfter(HELM_4, job, false), '; job/keystone-expand-r3: BackoffLimitExceeded: too often');
});

test('a Job that is gone or may not be read is named, and other errors stay as they are', async () => {
  assert.equal(await reasonAfter(HELM_4, new ApiError(404, 'gone')), '; job/keystone-expand-r3: it was deleted');
  assert.equal(await reasonAfter(HELM_4, new ApiError(403, 'denied')), '; job/keystone-expand-r3: not known: denied');
  assert.equal(await reasonAfter('execution error at (x): job y failed'), '');
});
