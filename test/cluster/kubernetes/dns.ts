/**
 * Service names inside the node: CoreDNS as in any cluster, a Deployment behind the Service `kube-dns`, whose address
 * every kubelet gives to its Pods. It resolves only Services and Pods; the node has no outside access, so nothing is
 * forwarded.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageTar } from '../../../tools/image.ts';
import { tarOf } from '../../../tools/tar.ts';
import type { Cluster } from './api.ts';

const IMAGE = 'kolla-pod.test/coredns:1';
/** A port above 1024, which needs no privilege. The port of the Service is 53. */
const PORT = 5353;
/** External names do not exist; without a response clients would retry for seconds. */
const COREFILE = `
cluster.local:${PORT} in-addr.arpa:${PORT} ip6.arpa:${PORT} {
  errors
  health
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    ttl 5
  }
  cache 5
}
.:${PORT} {
  errors
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`;

/** Writes CoreDNS's image and returns the archive's path. */
export async function corednsImage(directory: string, binary: string): Promise<string> {
  const file = join(directory, 'coredns.tar');
  const layer = tarOf([{ name: 'coredns', mode: 0o755, content: await readFile(binary) }]);
  await imageTar(file, { reference: IMAGE, layers: [layer], entrypoint: ['/coredns'] });
  return file;
}

/** Applies CoreDNS's objects and waits until it responds. The image must be imported already. */
export async function startDns({ kubectl }: Pick<Cluster, 'kubectl'>, address: string): Promise<void> {
  await kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects(address) }));
  await kubectl(['--namespace=kube-system', 'rollout', 'status', 'deployment/coredns']);
}

const LABELS = { 'k8s-app': 'kube-dns' };
const NAME = { name: 'coredns', namespace: 'kube-system' };

/** @param address that every kubelet gives to its Pods */
function objects(address: string): object[] {
  const read = { apiGroups: [''], resources: ['services', 'namespaces'], verbs: ['list', 'watch'] };
  const slices = { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] };
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' };
  const ports = ['UDP', 'TCP'].map((protocol) => ({
    name: `dns-${protocol.toLowerCase()}`,
    port: 53,
    targetPort: PORT,
    protocol,
  }));
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: NAME },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role.name },
      rules: [read, slices],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role.name },
      roleRef: role,
      subjects: [{ kind: 'ServiceAccount', ...NAME }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME, data: { Corefile: COREFILE } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...NAME, name: 'kube-dns' },
      spec: { clusterIP: address, selector: LABELS, ports },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: NAME,
      spec: { replicas: 1, selector: { matchLabels: LABELS }, template: template() },
    },
  ];
}

/** The Pod tolerates all taints, so that a test's taint does not stop DNS too. */
function template(): object {
  return {
    metadata: { labels: LABELS },
    spec: {
      serviceAccountName: NAME.name,
      priorityClassName: 'system-cluster-critical',
      dnsPolicy: 'Default',
      tolerations: [{ operator: 'Exists' }],
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      volumes: [{ name: 'config', configMap: { name: NAME.name } }],
      containers: [
        {
          name: 'coredns',
          image: IMAGE,
          args: ['-conf', '/etc/coredns/Corefile'],
          volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
          readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
          livenessProbe: { httpGet: { path: '/health', port: 8080 }, initialDelaySeconds: 10 },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  };
}
