import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must, run } from '../../../tools/process.ts';
import { imageTar } from '../../../tools/image.ts';
import { tarOf } from '../../../tools/tar.ts';
import { startComponent, whenUp, type Component, type Site } from './component.ts';
import { FIRST_NODE, type NodeIdentity } from './network.ts';
import { readFile } from 'node:fs/promises';

/** A path on the node's private /run. */
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
/** The image that always exists: the static helper as `/testbox`, which is also the sandbox of Pods. */
export const TESTBOX_IMAGE = 'kolla-pod.test/testbox:1';

/** Its images and their layers. */
export function containerdRoot({ directory }: Site): string {
  return join(directory, 'containerd/root');
}

/**
 * Starts containerd with its state in the site's directory, which must not be on an overlay, and waits for its
 * response. It pulls over http from the given registries, HOST:PORT, and from those on the node's 127.0.0.1.
 */
export async function startContainerd(
  site: Site,
  cni: string,
  { node = FIRST_NODE, registries = [] }: { node?: NodeIdentity; registries?: readonly string[] } = {},
): Promise<Component> {
  const state = join(site.directory, 'containerd');
  await mkdir(join(state, 'cni'), { recursive: true });
  for (const registry of registries) {
    await mkdir(join(state, 'registries', registry), { recursive: true });
    const url = `"http://${registry}"`;
    const hosts = `server = ${url}\n[host.${url}]\n  capabilities = ["pull", "resolve"]\n`;
    await writeFile(join(state, 'registries', registry, 'hosts.toml'), hosts);
  }
  await writeFile(join(state, 'cni/10-bridge.conflist'), JSON.stringify(bridgeNetwork(state, node)));
  await writeFile(join(state, 'config.toml'), configOf(state, cni, registries.length > 0));
  const containerd = await startComponent(site, 'containerd', 'containerd', ['--config', join(state, 'config.toml')]);
  await whenUp(containerd, 'its answer', async () => {
    const [command, args] = site.place('ctr', ['--address', CONTAINERD_SOCKET, 'version']);
    return (await run(command, args, { env: site.env })).code === 0 || undefined;
  });
  return containerd;
}

/** Imports an image into the kubelet's containerd; Pods then need no registry, unless the image's tag is `latest`. */
export async function importImage(site: Site, file: string): Promise<void> {
  const [command, args] = site.place('ctr', [
    '--address',
    CONTAINERD_SOCKET,
    '--namespace',
    'k8s.io',
    'images',
    'import',
    file,
  ]);
  await must(command, args, { env: site.env });
}

/** Writes the image of the static helper and returns the archive's path. */
export async function testboxImage(directory: string, testbox: string): Promise<string> {
  const file = join(directory, 'testbox.tar');
  const layer = tarOf([
    { name: 'etc/', mode: 0o755 },
    { name: 'etc/passwd', mode: 0o644, content: 'root:x:0:0:root:/:/testbox\n' },
    { name: 'tmp/', mode: 0o1777 },
    { name: 'testbox', mode: 0o755, content: await readFile(testbox) },
  ]);
  await imageTar(file, { reference: TESTBOX_IMAGE, layers: [layer], entrypoint: ['/testbox'], command: ['pause'] });
  return file;
}

function bridgeNetwork(state: string, { families }: NodeIdentity): unknown {
  const ipam = {
    type: 'host-local',
    dataDir: join(state, 'addresses'),
    ranges: families.map(({ network, pods, address }) => [
      { subnet: network, rangeStart: pods.first, rangeEnd: pods.last, gateway: address },
    ]),
    routes: families.map(({ everywhere }) => ({ dst: everywhere })),
  };
  const bridge = { type: 'bridge', bridge: 'cni0', isGateway: true, hairpinMode: true, ipam };
  return { cniVersion: '0.4.0', name: 'pods', plugins: [bridge] };
}

/** restrict_oom_score_adj and oom_score: without CAP_SYS_RESOURCE no process may lower its OOM score. */
function configOf(state: string, cni: string, hasRegistries: boolean): string {
  const unused = [
    ...['btrfs', 'zfs', 'aufs', 'devmapper'].map((name) => `io.containerd.snapshotter.v1.${name}`),
    ...['tracing.processor.v1.otlp', 'internal.v1.tracing', 'nri.v1.nri'].map((name) => `io.containerd.${name}`),
  ];
  return `version = 2
root = "${state}/root"
state = "/run/containerd"
oom_score = 0
disabled_plugins = ${JSON.stringify(unused)}
[grpc]
  address = "${CONTAINERD_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${TESTBOX_IMAGE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cni}"
    conf_dir = "${state}/cni"
${hasRegistries ? `  [plugins."io.containerd.grpc.v1.cri".registry]\n    config_path = "${state}/registries"\n` : ''}`;
}
