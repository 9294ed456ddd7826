/** k8s/examples/probe on the shared node: the kubelet's own httpGet probes query a native sidecar. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.ts';
import type { Stage } from './keystone-pod.ts';

const EXAMPLES = fileURLToPath(new URL('../../k8s/examples/', import.meta.url));
const NAME = 'probe';

interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses?: readonly { readonly restartCount: number }[];
}

/** @param stage called when a test runs */
export function probeTests(stage: () => Pick<Stage, 'node'>): void {
  const kubectl = (args: readonly string[], input?: string) =>
    stage().node.kubectl(['--namespace', NAME, ...args], input);
  const status = async () => JSON.parse(await kubectl(['get', 'pod/web', '--output=jsonpath={.status}'])) as PodStatus;
  const inWeb = (script: string) => kubectl(['exec', 'web', '--container=web', '--', 'bash', '-c', script]);
  const reasons = () => kubectl(['logs', 'web', '--container=probe']);
  const becoming = (ready: 'True' | 'False') =>
    until(`Ready to be ${ready}`, async () => {
      const { conditions } = await status();
      return conditions?.some((each) => each.type === 'Ready' && each.status === ready) || undefined;
    });
  const describing = (what: RegExp) =>
    until(`${what} in the Pod's events`, async () => what.test(await kubectl(['describe', 'pod/web'])) || undefined);

  test("a sidecar's httpGet probes determine readiness and liveness, and the events have the reason", async () => {
    const namespace = await readFile(`${EXAMPLES}keystone/namespace.yaml`, 'utf8');
    await kubectl(['apply', '--filename=-'], namespace.replace('name: keystone', `name: ${NAME}`));
    await kubectl(['apply', '--filename=-'], await readFile(`${EXAMPLES}probe/pod.yaml`, 'utf8'));
    await becoming('True');
    await inWeb('rm /srv/healthy');
    await becoming('False');
    await describing(/Warning +Unhealthy .*Readiness probe failed: HTTP probe failed with statuscode: 503/);
    assert.match(await reasons(), /api is unhealthy: status 404; it had been healthy for/);
    await inWeb('touch /srv/healthy');
    await becoming('True');
    assert.match(await reasons(), /api is healthy: status 200; it had been unhealthy for/);
    // Liveness does not depend on the conditions of readiness.
    assert.equal((await status()).containerStatuses?.[0]?.restartCount, 0);
  });

  test('reports a failed liveness check to the kubelet', async () => {
    const manifest = await readFile(`${EXAMPLES}probe/pod.yaml`, 'utf8');
    const dead = manifest.replace('listen 5000', 'tcp 127.0.0.1:5999').replace('periodSeconds: 5', 'periodSeconds: 1');
    await kubectl(['delete', 'pod/web', '--grace-period=1', '--wait']);
    await kubectl(['apply', '--filename=-'], dead);
    await describing(/Liveness probe failed: HTTP probe failed with statuscode: 503/);
  });
}
