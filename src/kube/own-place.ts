import { hostname } from 'node:os';
import { lazyKube } from './lazy.ts';
import { ownContainer, type OwnContainer } from './own-container.ts';
import { givenKubeSource } from './source.ts';
import type { KubeClient } from './types.ts';

/** Where we run, as far as somebody says so. */
export interface OwnPlace {
  readonly podName: string;
  /** By the kubelet's mounts. */
  readonly container: OwnContainer | undefined;
  /** Undefined: there is nobody to ask. */
  readonly kube: (() => Promise<KubeClient>) | undefined;
  /** Whether there is a kubelet at all: with a plain `docker run` nobody restarts us. */
  readonly isPod: boolean;
}

export interface PlaceOptions {
  readonly podName: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** Reads what the kubelet and the environment say. Disposed of, the connection to the API server is closed. */
export function ownPlace(
  { podName = hostname(), kubeconfig }: PlaceOptions,
  inherited: NodeJS.ProcessEnv,
): OwnPlace & Disposable {
  const container = ownContainer();
  const source = givenKubeSource(kubeconfig, inherited);
  const api = source && lazyKube(() => source);
  return {
    podName,
    container,
    kube: api?.get,
    isPod: container !== undefined || inherited['KUBERNETES_SERVICE_HOST'] !== undefined,
    [Symbol.dispose]: () => api?.[Symbol.dispose](),
  };
}
