import { givenKubeSource, kubeSource, lazyKube, type LazyKube } from '../kube/source.ts';

interface AccessOptions {
  readonly lock: 'auto' | 'lease' | 'row';
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
  readonly afterRollout: readonly string[];
}

/**
 * The way to the API server; nothing is loaded or asked before its first use. Undefined where there is none, and none is
 * asked for: a container that no Kubernetes runs, or that has no ServiceAccount mounted.
 * @throws ConfigError where `--lock lease` or `--after-rollout` asks for one
 */
export function kubeAccess(options: AccessOptions, inherited: NodeJS.ProcessEnv): LazyKube | undefined {
  const { lock, kubeconfig, namespace, afterRollout } = options;
  const isNeeded = lock === 'lease' || afterRollout.length > 0;
  const source = givenKubeSource(kubeconfig, inherited) ?? (isNeeded ? kubeSource(kubeconfig, inherited) : undefined);
  return source === undefined ? undefined : lazyKube(() => source, namespace);
}
