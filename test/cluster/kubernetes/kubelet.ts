import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenUp, type Site } from './component.ts';
import { CONTAINERD_SOCKET } from './containerd.ts';
import type { Get, Run } from './control-plane.ts';
import type { ClusterKeys } from './credentials.ts';
import { delegated, IN_A_HURRY } from './flags.ts';
import { anyOf, eachOf, type NodeIdentity } from './network.ts';

/** The settings that differ between the kubelets of nodes. */
export interface KubeletPlan {
  readonly node: NodeIdentity;
  /** The address of the API server for this node. */
  readonly server: string;
  /** The parent of the Pods' cgroups. */
  readonly cgroup: string;
  /** The DNS server for the node's Pods. If undefined, names are not resolved. */
  readonly dns?: string;
}

/** Starts kube-scheduler next to the API server. */
export async function startScheduler(run: Run, site: Site, keys: ClusterKeys): Promise<void> {
  const scheduler = await keys.kubeconfig('scheduler', 'https://127.0.0.1:6443', {
    commonName: 'system:kube-scheduler',
  });
  await run('kube-scheduler', {
    ...delegated(scheduler),
    ...IN_A_HURRY,
    'bind-address': '127.0.0.1',
    'cert-dir': join(site.directory, 'scheduler'),
  });
}

/** Starts kubelet and kube-proxy against the API server and waits until the node is Ready. */
export async function startKubelet(
  run: Run,
  get: Get,
  site: Site,
  keys: ClusterKeys,
  plan: KubeletPlan,
): Promise<void> {
  const { node, server } = plan;
  const asNode = { commonName: `system:node:${node.name}`, organizations: ['system:nodes'] };
  await keys.issue(serving(node), {
    commonName: node.name,
    hosts: [node.name, ...node.families.map(({ address }) => address), '127.0.0.1'],
  });
  const kubelet = await run('kubelet', {
    config: await written(site, 'kubelet.json', kubeletConfig(site, keys, plan)),
    kubeconfig: await keys.kubeconfig(`kubelet-${node.name}`, server, asNode),
    'root-dir': '/var/lib/kubelet',
    'hostname-override': node.name,
    'node-ip': eachOf(node, ({ address }) => address),
    'cert-dir': join(site.directory, 'keys'),
  });
  const proxy = await keys.kubeconfig(`proxy-${node.name}`, server, { commonName: 'system:kube-proxy' });
  await run('kube-proxy', { config: await written(site, 'proxy.json', proxyConfig(proxy, node)) });
  await whenUp(kubelet, `${node.name} to be Ready`, async () => {
    return (await get(`/api/v1/nodes/${node.name}`))?.includes('"KubeletReady"') || undefined;
  });
}

/** The file name of the certificate with which the node's kubelet serves its own API. */
function serving({ name }: NodeIdentity): string {
  return `kubelet-server-${name}`;
}

async function written(site: Site, name: string, config: object): Promise<string> {
  await writeFile(join(site.directory, name), JSON.stringify(config));
  return join(site.directory, name);
}

/** The kubelet's configuration, for cgroups of both versions. Intervals are shorter than in a long-lived cluster. */
function kubeletConfig(site: Site, keys: ClusterKeys, { node, cgroup, dns }: KubeletPlan): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: keys.file('ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: keys.file(`${serving(node)}.crt`),
    tlsPrivateKeyFile: keys.file(`${serving(node)}.key`),
    address: anyOf(node),
    healthzBindAddress: '127.0.0.1',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    failCgroupV1: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    clusterDomain: 'cluster.local',
    clusterDNS: dns === undefined ? [] : [dns],
    resolvConf: '',
    makeIPTablesUtilChains: false,
    kubeAPIQPS: 1000,
    kubeAPIBurst: 2000,
    eventRecordQPS: 0,
    syncFrequency: '2s',
    nodeStatusUpdateFrequency: '2s',
    configMapAndSecretChangeDetectionStrategy: 'Watch',
    serializeImagePulls: false,
    // A test machine's disk may be fuller than a kubelet accepts, and garbage-collected images cannot be pulled.
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '0%',
      'imagefs.available': '0%',
      'nodefs.inodesFree': '0%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    // Values other than this need CAP_SYS_RESOURCE.
    oomScoreAdj: 0,
    maxOpenFiles: 20_000,
    shutdownGracePeriod: '0s',
    volumePluginDir: join(site.directory, 'volume-plugins'),
  };
}

function proxyConfig(kubeconfig: string, node: NodeIdentity): object {
  const [{ loopback }] = node.families;
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig },
    mode: 'iptables',
    clusterCIDR: eachOf(node, ({ network }) => network),
    // Its family is the primary one.
    bindAddress: loopback,
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    hostnameOverride: node.name,
    oomScoreAdj: 0,
    iptables: { minSyncPeriod: '100ms' },
    // Zero keeps the limits of the machine.
    conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}
