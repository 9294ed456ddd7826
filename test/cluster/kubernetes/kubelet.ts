import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenUp, type Site } from './component.ts';
import { CONTAINERD_SOCKET } from './containerd.ts';
import type { Get, Run } from './control-plane.ts';
import type { ClusterKeys } from './credentials.ts';
import { delegated, IN_A_HURRY } from './flags.ts';
import { NODE_ADDRESS, POD_NETWORK } from './namespaces.ts';

export const NODE_NAME = 'node1';

const UP_MS = 180_000;

/**
 * Starts kube-scheduler, kubelet and kube-proxy against the API server and waits until the node is Ready.
 * @param cgroup the path that Pods' cgroups lie under
 */
export async function startKubelet(run: Run, get: Get, site: Site, keys: ClusterKeys, cgroup: string): Promise<void> {
  const server = 'https://127.0.0.1:6443';
  const scheduler = await keys.kubeconfig('scheduler', server, { commonName: 'system:kube-scheduler' });
  await run('kube-scheduler', {
    ...delegated(scheduler),
    ...IN_A_HURRY,
    'bind-address': '127.0.0.1',
    'cert-dir': join(site.folder, 'scheduler'),
  });
  const asNode = { commonName: `system:node:${NODE_NAME}`, organizations: ['system:nodes'] };
  const hosts = [NODE_NAME, NODE_ADDRESS, '127.0.0.1'];
  await keys.issue('kubelet-server', { commonName: NODE_NAME, hosts });
  const kubelet = await run('kubelet', {
    config: await written(site, 'kubelet.json', kubeletConfig(site, keys, cgroup)),
    kubeconfig: await keys.kubeconfig('kubelet', server, asNode),
    'root-dir': '/var/lib/kubelet',
    'hostname-override': NODE_NAME,
    'node-ip': NODE_ADDRESS,
    'cert-dir': join(site.folder, 'keys'),
  });
  const proxy = await keys.kubeconfig('proxy', server, { commonName: 'system:kube-proxy' });
  await run('kube-proxy', { config: await written(site, 'proxy.json', proxyConfig(proxy)) });
  await whenUp(kubelet, 'the node to be Ready', UP_MS, async () => {
    return (await get(`/api/v1/nodes/${NODE_NAME}`))?.includes('"KubeletReady"') || undefined;
  });
}

async function written(site: Site, name: string, config: object): Promise<string> {
  await writeFile(join(site.folder, name), JSON.stringify(config));
  return join(site.folder, name);
}

/** Works with cgroups of both versions. What is seldom looked at in a cluster that lasts is looked at often here. */
function kubeletConfig(site: Site, keys: ClusterKeys, cgroup: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: keys.file('ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: keys.file('kubelet-server.crt'),
    tlsPrivateKeyFile: keys.file('kubelet-server.key'),
    address: '0.0.0.0',
    healthzBindAddress: '127.0.0.1',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    failCgroupV1: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    clusterDomain: 'cluster.local',
    resolvConf: '',
    makeIPTablesUtilChains: false,
    kubeAPIQPS: 1000,
    kubeAPIBurst: 2000,
    eventRecordQPS: 0,
    syncFrequency: '2s',
    nodeStatusUpdateFrequency: '2s',
    configMapAndSecretChangeDetectionStrategy: 'Watch',
    serializeImagePulls: false,
    // A test machine's disk may be full beyond what a kubelet accepts, and an image that is swept can't be pulled.
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '0%',
      'imagefs.available': '0%',
      'nodefs.inodesFree': '0%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    // Raising these needs CAP_SYS_RESOURCE.
    oomScoreAdj: 0,
    maxOpenFiles: 20_000,
    shutdownGracePeriod: '0s',
    volumePluginDir: join(site.folder, 'volume-plugins'),
  };
}

function proxyConfig(kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig },
    mode: 'iptables',
    clusterCIDR: POD_NETWORK,
    bindAddress: '127.0.0.1',
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    hostnameOverride: NODE_NAME,
    oomScoreAdj: 0,
    iptables: { minSyncPeriod: '100ms' },
    // Zero leaves the machine's own limits as they are.
    conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}
