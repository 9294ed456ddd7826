import { join } from 'node:path';
import type { ClusterKeys } from './credentials.ts';

/** Listen addresses of a control plane's programs; the numbers are ports. */
export interface Addresses {
  readonly api: number;
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly controllerManager: number;
  /** The address on which the API server listens. */
  readonly bind: string;
  /** The address at which Pods reach the API server. */
  readonly advertise: string;
  /** The ranges of Services' addresses, separated by commas. */
  readonly services: string;
  /** The addresses of the Service `kubernetes`: the first of each range. */
  readonly kubernetes: readonly string[];
}

type Flags = Readonly<Record<string, string>>;

/**
 * Leader election and client rate limits are for long-lived clusters: they would cost four of eight seconds of the
 * start.
 */
export const IN_A_HURRY: Flags = { 'leader-elect': 'false', 'kube-api-qps': '1000', 'kube-api-burst': '2000' };

/** Flags of a client of the API server that delegates authentication and authorization to it. */
export function delegated(kubeconfig: string): Flags {
  return { kubeconfig, 'authentication-kubeconfig': kubeconfig, 'authorization-kubeconfig': kubeconfig };
}

export function etcdFlags(directory: string, { etcd, etcdPeer }: Pick<Addresses, 'etcd' | 'etcdPeer'>): Flags {
  const client = `http://127.0.0.1:${etcd}`;
  const peer = `http://127.0.0.1:${etcdPeer}`;
  return {
    'data-dir': join(directory, 'etcd'),
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
    // As in kubeadm; without this, idle watches get no bookmarks.
    'watch-progress-notify-interval': '5s',
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
  };
}

export function apiserverFlags(directory: string, keys: ClusterKeys, addresses: Addresses): Flags {
  return {
    'etcd-servers': `http://127.0.0.1:${addresses.etcd}`,
    'bind-address': addresses.bind,
    'secure-port': String(addresses.api),
    'advertise-address': addresses.advertise,
    'tls-cert-file': keys.file('apiserver.crt'),
    'tls-private-key-file': keys.file('apiserver.key'),
    'client-ca-file': keys.file('ca.crt'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': keys.file('sa.pub'),
    'service-account-signing-key-file': keys.file('sa.key'),
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'allow-privileged': 'true',
    'service-cluster-ip-range': addresses.services,
    'cert-dir': join(directory, 'keys'),
    'kubelet-client-certificate': keys.file('apiserver-kubelet.crt'),
    'kubelet-client-key': keys.file('apiserver-kubelet.key'),
    'kubelet-certificate-authority': keys.file('ca.crt'),
    'kubelet-preferred-address-types': 'InternalIP',
  };
}

export function controllerManagerFlags(
  directory: string,
  keys: ClusterKeys,
  { controllerManager }: Addresses,
  kubeconfig: string,
): Flags {
  return {
    ...delegated(kubeconfig),
    ...IN_A_HURRY,
    'service-account-private-key-file': keys.file('sa.key'),
    'root-ca-file': keys.file('ca.crt'),
    'cluster-signing-cert-file': keys.file('ca.crt'),
    'cluster-signing-key-file': keys.file('ca.key'),
    'use-service-account-credentials': 'true',
    'bind-address': '127.0.0.1',
    'secure-port': String(controllerManager),
    'cert-dir': join(directory, 'controller-manager'),
    // As root, the controller manager would create its default directory, /usr/libexec/kubernetes, on the machine.
    'flex-volume-plugin-dir': join(directory, 'volume-plugins'),
  };
}
