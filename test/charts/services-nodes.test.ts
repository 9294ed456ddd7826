import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { describe, test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import {
  configJsonOf,
  filesOf,
  keyOf,
  mainOf,
  podOf,
  podYamlOf,
  SERVICE_CHARTS,
  textAt,
  waitsOf,
  workloadsOf,
} from './service-charts.ts';
import { rendering, type KubeObject, type Rendered } from './support.ts';

const CEPH = fileURLToPath(new URL('../../k8s/charts/examples/nova-compute-ceph.yaml', import.meta.url));

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
    const init = initContainers.find(({ name }) => name === 'init-switch');
    assert.match(init?.command?.at(-1) ?? '', /^exec ovs-vsctl .*--no-wait init$/);
    const [mount] = init?.volumeMounts ?? [];
    assert.equal(mount?.mountPath, '/run/openvswitch');
    assert.ok(volumes.some(({ name }) => name === 'switch'));
  });

  test('bridges of values are created with their devices before the switch starts', async () => {
    await using helm = await rendering('neutron');
    const settings = {
      datapathType: 'netdev',
      bridges: { 'br-ex': 'eth1', 'br-tunnels': '' },
      switchOptions: { 'userspace-tso-enable': 'true' },
    };
    const rendered = await helm.render({ settings });
    const switched = workloadsOf(rendered).find((one) => keyOf(one) === 'openvswitch-vswitchd');
    assert.ok(switched);
    const init = podOf(switched).initContainers.find(({ name }) => name === 'init-switch');
    assert.deepEqual(init?.command?.at(-1)?.split(' -- ').slice(1), [
      'set Open_vSwitch . other_config:userspace-tso-enable=true',
      '--may-exist add-br br-ex',
      'set Bridge br-ex datapath_type=netdev',
      '--may-exist add-port br-ex eth1',
      '--may-exist add-br br-tunnels',
      'set Bridge br-tunnels datapath_type=netdev',
    ]);
    await assert.rejects(
      helm.render({ settings: { bridges: { 'br-ex; id': '' } } }),
      /'br-ex; id' does not match pattern/,
    );
    await assert.rejects(helm.render({ settings: { bridges: { 'br-ex': '$(id)' } } }), /settings\/bridges/);
    await assert.rejects(helm.render({ settings: { switchOptions: { a: 'b c' } } }), /settings\/switchOptions/);
  });

  test('virtual machines are not started in the cgroup of libvirt, and have a directory', async () => {
    await using helm = await rendering('nova-compute');
    for (const values of [{}, load(await readFile(CEPH, 'utf8')) as object]) {
      const rendered = await helm.render(values);
      const libvirt = workloadsOf(rendered).find((one) => keyOf(one) === 'libvirt');
      const { command, config_files: files } = configJsonOf(filesOf(rendered, libvirt!));
      assert.equal(command, 'bash -e /etc/libvirt/libvirtd.sh');
      assert.ok(files.some(({ dest }) => dest === '/etc/libvirt/libvirtd.sh'));
      const compute = workloadsOf(rendered).find((one) => keyOf(one) === 'compute');
      const own = podOf(compute!).initContainers.find(({ name }) => name === 'own-state');
      assert.match(own?.command?.at(-1) ?? '', /mkdir -p \/var\/lib\/nova\/instances; chown/);
    }
  });

  test('live migration has TLS, by a Secret that is followed', async () => {
    await using helm = await rendering('nova-compute');
    const [off, on] = [await helm.render(), await helm.render({ settings: { migrationTls: true } })];
    const text = (rendered: Rendered, key: string, dest: string) => {
      const workload = workloadsOf(rendered).find((one) => keyOf(one) === key);
      return textAt(filesOf(rendered, workload!), dest) ?? '';
    };
    for (const [key, dest, line] of [
      ['libvirt', '/etc/libvirt/libvirtd.conf', /^listen_tls = 1$/m],
      ['libvirt', '/etc/libvirt/libvirtd.sh', /^exec libvirtd --listen$/m],
      ['libvirt', '/etc/libvirt/qemu.conf', /^default_tls_x509_verify = 1$/m],
      ['compute', '/etc/nova/nova.conf', /^live_migration_scheme = tls$/m],
    ] as const) {
      assert.match(text(on, key, dest), line);
      assert.doesNotMatch(text(off, key, dest), line);
    }
    // The plain port has no login.
    assert.match(text(on, 'libvirt', '/etc/libvirt/libvirtd.conf'), /^listen_tcp = 0$/m);
    const libvirt = workloadsOf(on).find((one) => keyOf(one) === 'libvirt');
    assert.partialDeepStrictEqual(podYamlOf(on, libvirt!), {
      init: { watch: { 'on-change': ['exec:virt-admin --connect libvirtd:///system server-update-tls libvirtd'] } },
    });
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
