import { hostname } from 'node:os';
import { givenKubeSource, lazyKube } from './source.ts';
import type { KubeClient } from './types.ts';
import { readFileSync } from 'node:fs';

/** Identity of this container. */
interface OwnContainer {
  readonly podUid: string;
  readonly name: string;
}

/**
 * Our container, from /proc/self/mountinfo: the kubelet mounts the termination log from a directory named after Pod and
 * container. Undefined outside of Kubernetes, and if a sandbox hides mounts.
 */
export function containerIn(mountinfo: string): OwnContainer | undefined {
  const [, podUid, name] = /\/pods\/([^/ ]+)\/containers\/([^/ ]+)\/[^/ ]+ \//.exec(mountinfo) ?? [];
  return podUid === undefined || name === undefined ? undefined : { podUid, name };
}

/** The same, read from /proc. Also undefined if /proc is unavailable. */
export function ownContainer(): OwnContainer | undefined {
  try {
    return containerIn(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return undefined;
  }
}

/** This Pod's location in the cluster, as far as known. */
export interface OwnPlace {
  readonly podName: string;
  /** Identity according to the kubelet's mounts. */
  readonly container: OwnContainer | undefined;
  /** Undefined if there is no API server. */
  readonly kube: (() => Promise<KubeClient>) | undefined;
  /** Whether there is a kubelet. With plain `docker run` a failed container may not be restarted. */
  readonly isPod: boolean;
}

interface PlaceOptions {
  readonly podName: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** Derived from the kubelet's mounts and the environment. Disposal closes the connection to the API server. */
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
