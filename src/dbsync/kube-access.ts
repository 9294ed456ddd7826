import type { CredentialSource } from '../platform/kube/credentials.ts';
import { lazyKube, type LazyKube } from '../platform/kube/lazy.ts';
import { givenKubeSource, kubeSource } from '../platform/kube/source.ts';

export interface AccessOptions {
  readonly lock: 'auto' | 'lease' | 'row';
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
}

/**
 * The way to the API server; nothing is loaded or asked before its first use. Undefined where there is none, and none is
 * asked for: a container that no Kubernetes runs, or that has no ServiceAccount mounted.
 * @throws ConfigError where `--lock lease` asks for one
 */
export function kubeAccess(options: AccessOptions, inherited: NodeJS.ProcessEnv): LazyKube | undefined {
  const { lock, kubeconfig, namespace } = options;
  const source = sourceFor(lock, kubeconfig, inherited);
  return source === undefined ? undefined : lazyKube(() => source, namespace);
}

function sourceFor(
  lock: AccessOptions['lock'],
  kubeconfig: string | undefined,
  inherited: NodeJS.ProcessEnv,
): CredentialSource | undefined {
  return givenKubeSource(kubeconfig, inherited) ?? (lock === 'lease' ? kubeSource(kubeconfig, inherited) : undefined);
}
