import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../src/kube/types.ts';
import { hooksState } from '../../src/operator/service/pods.ts';

test("a Pod of another service's Jobs is no problem of a service whose name its name begins with", async () => {
  const pod = (release: string) => ({
    metadata: {
      name: `${release}-bootstrap-1234-r5-x`,
      labels: { 'batch.kubernetes.io/job-name': `${release}-bootstrap-1234-r5`, 'app.kubernetes.io/instance': release },
    },
    status: {
      containerStatuses: [{ name: 'bootstrap', state: { waiting: { reason: 'ErrImagePull', message: 'no' } } }],
    },
  });
  const client = { get: () => Promise.resolve({ items: [pod('nova-cell')] }) } as unknown as KubeClient;
  const { signal } = new AbortController();
  assert.deepEqual(await hooksState(client, 'openstack', 'nova', 5, signal), { jobs: [], problem: undefined });
  const { jobs, problem } = await hooksState(client, 'openstack', 'nova-cell', 5, signal);
  assert.deepEqual(jobs, ['nova-cell-bootstrap-1234-r5']);
  assert.match(problem ?? '', /ErrImagePull/);
});
