import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ConfigError } from '../cli/errors.ts';
import type { CredentialSource } from '../platform/kube/index.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Where credentials come from: a kubeconfig that was named, else the Pod we run in, else the user's own.
 * Throws ConfigError when there is none.
 */
export function kubeSource(kubeconfig: string | undefined, inherited: NodeJS.ProcessEnv): CredentialSource {
  if (kubeconfig !== undefined) return { kind: 'kubeconfig', files: kubeconfig.split(delimiter).filter(Boolean) };
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, HOME: home } = inherited;
  if (host !== undefined && port !== undefined) return { kind: 'in-cluster', host, port, folder: SERVICE_ACCOUNT };
  const own = home === undefined ? undefined : join(home, '.kube/config');
  if (own !== undefined && existsSync(own)) return { kind: 'kubeconfig', files: [own] };
  throw new ConfigError('this is no Pod (KUBERNETES_SERVICE_HOST is not set), and no --kubeconfig is given');
}
