import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { CHARTS, chartNames } from '../../build/charts.ts';
import { osloOption } from '../../src/oslo/ini.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { configJsonOf, filesOf, keyOf, mainOf, podOf, textAt, waitsOf, workloadsOf } from './service-charts.ts';
import { rendering, type KubeObject, type Rendered } from './support.ts';

const EXAMPLES = join(CHARTS, 'examples');

/** The chart of an example: the one with whose name its file name starts, otherwise Glance as a chart with a volume. */
function chartOf(file: string): string {
  return (
    chartNames()
      .toSorted((a, b) => b.length - a.length)
      .find((name) => file.startsWith(`${name}-`)) ?? 'glance'
  );
}

/** Renders the chart of an example with its values. */
async function renderedWith(file: string): Promise<Rendered> {
  await using helm = await rendering(chartOf(file));
  return await helm.render({}, ['--values', join(EXAMPLES, file)]);
}

/** The workload with that key in defaults.yaml. */
function workload(rendered: Rendered, key: string): KubeObject {
  const found = workloadsOf(rendered).find((one) => keyOf(one) === key);
  assert.ok(found, `no workload ${key}`);
  return found;
}

/** Keys that a user's Secret must have, by their destination in config.json. */
function asksFor(object: KubeObject, secret: string): string[] {
  const config = podOf(object).volumes.find(({ name }) => name === 'config-files');
  const sources = config?.projected?.sources ?? [];
  return sources.flatMap((source) => (source.secret?.name === secret ? source.secret.items.map(({ key }) => key) : []));
}

describe('values of the examples', { skip: (await canRunHelm()) ?? false }, () => {
  test('each example has a test here', () => {
    const named = [
      'cinder-lvm.yaml',
      'glance-ceph.yaml',
      'nova-compute-ceph.yaml',
      'storage-class.yaml',
      'two-namespaces.yaml',
    ];
    assert.deepEqual(
      readdirSync(EXAMPLES).toSorted((a, b) => (a < b ? -1 : 1)),
      named,
    );
  });

  test('one storage class for all volumes', async () => {
    const claims = (await renderedWith('storage-class.yaml')).of('PersistentVolumeClaim');
    assert.deepEqual(
      claims.map((claim) => claim['spec'].storageClassName),
      ['ceph-rbd'],
    );
  });

  test("Glance in an existing Ceph: three replicas, no volume, and Ceph's files from a Secret", async () => {
    const rendered = await renderedWith('glance-ceph.yaml');
    const api = workload(rendered, 'api');
    assert.equal(api['spec'].replicas, 3);
    assert.deepEqual(rendered.of('PersistentVolumeClaim'), []);
    assert.deepEqual(asksFor(api, 'ceph-glance'), ['ceph.client.glance.keyring', 'ceph.conf']);
    const text = textAt(filesOf(rendered, api), '/etc/glance/glance-api.conf') ?? '';
    assert.equal(osloOption(text, 'DEFAULT', 'enabled_backends'), 'ceph:rbd');
    assert.equal(osloOption(text, 'glance_store', 'default_backend'), 'ceph');
    assert.equal(osloOption(text, 'ceph', 'rbd_store_pool'), 'images');
  });

  test("Nova's instances in an existing Ceph: libvirt has the keys under the UUIDs used by Nova and Cinder", async () => {
    const rendered = await renderedWith('nova-compute-ceph.yaml');
    const [compute, libvirt] = [workload(rendered, 'compute'), workload(rendered, 'libvirt')];
    assert.deepEqual(asksFor(compute, 'ceph-nova'), ['ceph.client.nova.keyring', 'ceph.conf']);
    assert.deepEqual(asksFor(libvirt, 'ceph-nova'), ['cinder.base64', 'cinder.xml', 'nova.base64', 'nova.xml']);
    const nova = textAt(filesOf(rendered, compute), '/etc/nova/nova.conf') ?? '';
    await using helm = await rendering('cinder');
    const volume = workload(await helm.render(), 'volume');
    const cinder = textAt(filesOf(await helm.render(), volume), '/etc/cinder/cinder.conf') ?? '';
    const uuids = {
      nova: osloOption(nova, 'libvirt', 'rbd_secret_uuid'),
      cinder: osloOption(cinder, 'ceph', 'rbd_secret_uuid'),
    };
    const places = configJsonOf(filesOf(rendered, libvirt)).config_files;
    for (const [user, uuid] of Object.entries(uuids))
      for (const kind of ['xml', 'base64']) {
        const entry = places.find(({ source }) => source.endsWith(`/${user}.${kind}`));
        assert.equal(entry?.dest, `/etc/libvirt/secrets/${uuid}.${kind}`);
      }
  });

  test('Cinder without Ceph: a volume group of its node, selected by its Pods', async () => {
    const rendered = await renderedWith('cinder-lvm.yaml');
    const volume = workload(rendered, 'volume');
    assert.deepEqual(asksFor(volume, 'ceph-cinder'), []);
    const text = textAt(filesOf(rendered, volume), '/etc/cinder/cinder.conf') ?? '';
    assert.equal(osloOption(text, 'DEFAULT', 'enabled_backends'), 'lvm');
    assert.equal(osloOption(text, 'lvm', 'volume_group'), 'cinder-volumes');
    assert.equal(osloOption(text, 'DEFAULT', 'backup_ceph_pool'), undefined);
    for (const section of ['cinder_sys_admin', 'privsep_osbrick'])
      assert.equal(
        osloOption(text, section, 'helper_command'),
        undefined,
        "rootwrap and root, as in Cinder's defaults",
      );
    for (const one of [volume, workload(rendered, 'backup')]) {
      assert.match(one['spec'].template.metadata.annotations['kolla-pod/not-restricted'], /node/);
      assert.equal(one['spec'].template.spec.hostNetwork, true);
      const path = mainOf(one).env?.find(({ name }) => name === 'PATH')?.value ?? '';
      assert.match(path, /^\/opt\/kolla-pod\/bin:/);
      assert.doesNotMatch(path, /rootless-bin/, 'rootwrap needs the sudo of the image');
    }
    assert.ok(mainOf(volume).image.includes('cinder-volume'));
  });

  test('two namespaces: each address of a chart resolves in the other namespace', async () => {
    const services = new Set<string>();
    const hosts = new Map<string, string>();
    for (const chart of chartNames()) {
      const namespace = NODES.has(chart) ? 'openstack-nodes' : 'openstack';
      await using helm = await rendering(chart);
      const args = ['--namespace', namespace, '--values', join(EXAMPLES, 'two-namespaces.yaml')];
      const rendered = await helm.render({}, args);
      for (const { metadata } of rendered.of('Service')) services.add(`${metadata.name}.${namespace}.svc`);
      for (const [host, where] of hostsIn(rendered)) hosts.set(host, `${chart}: ${where}`);
    }
    for (const [host, where] of hosts) assert.ok(services.has(host), `${host} in ${where}`);
    assert.ok(hosts.size > 10);
  });

  test("two namespaces: an upgrade of compute nodes waits for nova's Pods in nova's namespace", async () => {
    await using helm = await rendering('nova-compute');
    const args = ['--namespace', 'openstack-nodes', '--values', join(EXAMPLES, 'two-namespaces.yaml')];
    const [job] = (await helm.render({}, [...args, '--is-upgrade'])).of('Job');
    assert.ok(job && waitsOf(job).every((wait) => wait.startsWith('!pod@openstack?label=')));
    assert.equal(waitsOf(job).length, 2);
  });

  test("two namespaces: after an upgrade it restarts Nova's services where their charts are", async () => {
    await using helm = await rendering('nova-compute');
    const args = ['--namespace', 'openstack-nodes', '--values', join(EXAMPLES, 'two-namespaces.yaml')];
    const rendered = await helm.render({ upgrade: { stepwise: true } }, [...args, '--is-upgrade']);
    const command = mainOf(rendered.one('Job', 'nova-compute-restart')).command ?? [];
    const restarted = command.slice(command.indexOf('restart') + 1);
    assert.equal(restarted.length, 3);
    for (const one of restarted) assert.match(one, /^deployment\/nova-[a-z-]+@openstack$/);
  });
});

/** Values of `make cloud`. */
const CLOUD = fileURLToPath(new URL('../../k8s/examples/cloud/globals.yml', import.meta.url));

describe('values of make cloud', { skip: (await canRunHelm()) ?? false }, () => {
  for (const chart of chartNames())
    test(`${chart}: every Pod is assigned to its nodes, and tolerates the taint of a control node`, async () => {
      await using helm = await rendering(chart);
      const rendered = await helm.render({}, ['--values', CLOUD]);
      const taint = { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' };
      for (const object of [...workloadsOf(rendered), ...rendered.of('Job')]) {
        const { nodeSelector, tolerations = [] } = object['spec'].template.spec;
        const isCompute = object['spec'].template.metadata.labels['kolla-pod/role'] === 'compute';
        const label = isCompute ? 'openstack-compute-node' : 'openstack-control-plane';
        assert.deepEqual(nodeSelector, { [label]: 'enabled' }, object.metadata.name);
        assert.deepEqual(tolerations, isCompute ? [] : [taint], object.metadata.name);
      }
    });
});

/** The charts with Pods that `restricted` does not admit. */
const NODES = new Set(['neutron', 'nova-compute']);

/** Hosts of URLs and server lists in Pods' specs and .conf files. `{name}` in a URL is replaced by a catalogue name. */
function hostsIn(rendered: Rendered): [host: string, where: string][] {
  const pods = [...workloadsOf(rendered), ...rendered.of('Job')];
  const texts = pods.flatMap((one) => [
    JSON.stringify(one['spec'].template.spec),
    ...[...filesOf(rendered, one)].filter(([name]) => name.endsWith('.conf')).map(([, text]) => text),
  ]);
  return texts.flatMap((text) =>
    [...text.matchAll(/(?:\/\/(?:[^@\s"/]*@)?|servers = )([\w.{}-]+):(?:\d+|\{port\})/g)]
      .map(([found, host = '']): [string, string] => [host.replace('{name}', 'heat'), found])
      .filter(([host]) => !/^\d|^nova-novncproxy$/.test(host)),
  );
}
