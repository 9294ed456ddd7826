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

test('the values of all sources have one budget', async () => {
  const text = 'x'.repeat(1_000_000);
  const get = (path: string) => Promise.resolve({ data: { 'values.yaml': `${path.at(-1)}: ${text}\n` } });
  const client = { get } as unknown as KubeClient;
  const { signal } = new AbortController();
  const sources = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ kind: 'ConfigMap', name: `map-${i}` }) as const);
  assert.equal(Object.keys((await readValues(client, 'openstack', sources(4), signal)).values).length, 4);
  const message = 'ConfigMap map-4: with the values before it: more than 4 MiB with its aliases expanded';
  await assert.rejects(readValues(client, 'openstack', sources(5), signal), { message });
});
