import { hostname } from 'node:os';
import { givenKubeSource, lazyKube } from './source.ts';
import type { KubeClient } from './types.ts';
import { readFileSync } from 'node:fs';

/** Which container this is. */
interface OwnContainer {
  readonly podUid: string;
  readonly name: string;
}

/**
 * The container that we are, from /proc/self/mountinfo: the kubelet mounts a file of a directory that is named after Pod and
 * container as the termination log. Undefined outside of Kubernetes, and where a sandbox hides what is mounted.
 */
export function containerIn(mountinfo: string): OwnContainer | undefined {
  const [, podUid, name] = /\/pods\/([^/ ]+)\/containers\/([^/ ]+)\/[^/ ]+ \//.exec(mountinfo) ?? [];
  return podUid === undefined || name === undefined ? undefined : { podUid, name };
}

/** The same, read from /proc; undefined too where that is not what it is on Linux. */
export function ownContainer(): OwnContainer | undefined {
  try {
    return containerIn(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return undefined;
  }
}

/** Where we run, as far as known. */
export interface OwnPlace {
  readonly podName: string;
  /** By the kubelet's mounts. */
  readonly container: OwnContainer | undefined;
  /** Undefined: there is no API server to ask. */
  readonly kube: (() => Promise<KubeClient>) | undefined;
  /** Whether there is a kubelet at all: with a plain `docker run` nothing restarts us. */
  readonly isPod: boolean;
}

interface PlaceOptions {
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
