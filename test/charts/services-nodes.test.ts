import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { keyOf, mainOf, podOf, SERVICE_CHARTS, waitsOf, workloadsOf } from './service-charts.ts';
import { rendering, type KubeObject } from './support.ts';

/** The charts with Pods bound to a node. */
const CHARTS = SERVICE_CHARTS.filter((name) => name === 'neutron' || name === 'nova-compute');

describe('Pods on the nodes', { skip: (await canRunHelm()) ?? false }, () => {
  for (const delivery of ['baked', 'copied', 'imageVolume'])
    test(`a process that needs root through sudo finds the image's own sudo: ${delivery}`, async () => {
      const found: string[] = [];
      for (const chart of CHARTS) {
        await using helm = await rendering(chart);
        for (const workload of workloadsOf(await helm.render({ kollaPod: { delivery } }))) {
          if (!raisesItself(workload)) continue;
          const path = mainOf(workload).env?.find(({ name }) => name === 'PATH')?.value ?? '';
          assert.match(path, /:\/usr\/bin:/, workload.metadata.name);
          assert.doesNotMatch(path, /rootless-bin/, workload.metadata.name);
          found.push(keyOf(workload));
        }
      }
      assert.deepEqual(found, ['dhcp-agent', 'l3-agent', 'openvswitch-agent', 'compute']);
    });

  test("a node's switch and hypervisor start without any remote dependency", async () => {
    for (const [chart, keys] of [
      ['neutron', ['openvswitch-db', 'openvswitch-vswitchd']],
      ['nova-compute', ['libvirt']],
    ] as const) {
      await using helm = await rendering(chart);
      const own = workloadsOf(await helm.render()).filter((one) => (keys as readonly string[]).includes(keyOf(one)));
      assert.equal(own.length, keys.length);
      for (const workload of own) assert.deepEqual(waitsOf(workload), [], workload.metadata.name);
    }
  });

  test("a new switch's database gets its row before the switch starts", async () => {
    await using helm = await rendering('neutron');
    const switched = workloadsOf(await helm.render()).find((one) => keyOf(one) === 'openvswitch-vswitchd');
    assert.ok(switched);
    const { initContainers, volumes } = podOf(switched);
    const init = initContainers.find(({ command }) => command?.[0] === 'ovs-vsctl');
    assert.equal(init?.command?.at(-1), 'init');
    const [mount] = init.volumeMounts ?? [];
    assert.equal(mount?.mountPath, '/run/openvswitch');
    assert.ok(volumes.some(({ name }) => name === 'switch'));
  });

  test("the charts' own init containers have their workload's image, also by digest, and resources for a quota", async () => {
    const resources = { limits: { cpu: 1, memory: '256Mi' } };
    const found: string[] = [];
    for (const [chart, keys] of [
      ['neutron', ['dhcp-agent', 'l3-agent', 'metadata-agent', 'openvswitch-vswitchd']],
      ['nova-compute', ['compute']],
    ] as const) {
      const image = { registry: 'mirror.example', tag: `sha256:${'0'.repeat(64)}` };
      await using helm = await rendering(chart);
      const rendered = await helm.render({
        global: { pullPolicy: 'Never', kollaPod: { delivery: 'copied', resources } },
        workloads: Object.fromEntries(keys.map((key) => [key, { image }])),
      });
      for (const workload of workloadsOf(rendered))
        for (const { name, ...container } of podOf(workload).initContainers)
          if (name === 'own-state' || name === 'init-switch') {
            const expected = { image: mainOf(workload).image, imagePullPolicy: 'Never', resources };
            assert.partialDeepStrictEqual(container, expected, keyOf(workload));
            assert.match(container.image, /^mirror\.example\/[a-z0-9-]+@sha256:0+$/);
            found.push(keyOf(workload));
          }
    }
    assert.deepEqual(found, ['dhcp-agent', 'l3-agent', 'metadata-agent', 'openvswitch-vswitchd', 'compute']);
  });
});

/** An unprivileged user that may become root. */
function raisesItself(workload: KubeObject): boolean {
  const main = mainOf(workload) as { readonly securityContext?: { readonly allowPrivilegeEscalation?: boolean } };
  return main.securityContext?.allowPrivilegeEscalation === true && podOf(workload).securityContext.runAsUser !== 0;
}
