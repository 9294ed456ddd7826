import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../src/kube/types.ts';
import { readValues } from '../../src/operator/helm/values.ts';

test('values of a ConfigMap mean what they mean to helm --values', async () => {
  const text = 'base: &base { enabled: no }\nmode: 0440\nworkload: { <<: *base, replicas: 2 }\n';
  const client = { get: () => Promise.resolve({ data: { 'values.yaml': text } }) } as unknown as KubeClient;
  const { signal } = new AbortController();
  const { values } = await readValues(client, 'openstack', [{ kind: 'ConfigMap', name: 'globals' }], signal);
  const workload = { enabled: false, replicas: 2 };
  assert.deepEqual(values, { base: { enabled: false }, mode: 0o440, workload });
});
