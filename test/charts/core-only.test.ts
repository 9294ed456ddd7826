/** No Pod of a service starts kolla-pod, with Node, for a wait, a probe or its logs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chartNames } from '../../build/charts.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { keyOf, podOf, workloadsOf } from './service-charts.ts';
import { ADMITTED, rendering } from './support.ts';

/** Pods that run kolla-pod for something else, once. */
const OTHERS: Readonly<Record<string, string>> = { 'rabbitmq rabbitmq': 'its startCheck is kolla-bootstrap' };
const COPIED = { global: { kollaPod: { delivery: 'copied' } } };

/** Names of the chart's workloads that copy more than kolla-core. */
async function copyAll(chart: string, values: object): Promise<string[]> {
  await using helm = await rendering(chart);
  return workloadsOf(await helm.render(values)).flatMap((workload) => {
    const install = podOf(workload).initContainers.find(({ name }) => name === 'kolla-pod') as
      | { readonly args: readonly string[] }
      | undefined;
    assert.ok(install, workload.metadata.name);
    return install.args.includes('--core') ? [] : [`${chart} ${keyOf(workload)}`];
  });
}

/** A sidecar of the user's own, which the chart adds to the Pod. */
const sidecarWith = (component: string) => ({
  name: 'own',
  image: 'own',
  securityContext: ADMITTED,
  restartPolicy: 'Always',
  command: ['kolla-sidecar', '--component', component, '--service', 'keystone'],
});

test('a Pod whose sidecar migrates copies kolla-pod too', { skip: (await canRunHelm()) ?? false }, async () => {
  for (const [component, copied] of [
    ['db-sync', ['keystone api']],
    ['waits', []],
  ] as const) {
    const api = { extraInitContainers: [sidecarWith(component)] };
    assert.deepEqual(await copyAll('keystone', { ...COPIED, workloads: { api } }), copied, component);
  }
});

describe("Pods of the charts' defaults", { skip: (await canRunHelm()) ?? false }, () => {
  for (const chart of chartNames())
    test(`${chart}: waits, probes, configuration that is followed and logs need kolla-core alone`, async () => {
      const others = Object.keys(OTHERS).filter((name) => name.startsWith(`${chart} `));
      assert.deepEqual(await copyAll(chart, COPIED), others);
      assert.deepEqual(await copyAll(chart, { ...COPIED, config: { reload: 'live' } }), others);
      assert.deepEqual(await copyAll(chart, { ...COPIED, logs: { enabled: true, url: 'http://logs:9200' } }), others);
    });
});
