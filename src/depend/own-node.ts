import { ConfigError, NotPermittedError, messageOf } from '../cli/errors.ts';
import { backoffMs, pause } from '../platform/backoff.ts';
import { ApiError } from '../platform/kube/api-error.ts';
import { objectPath, podRef } from '../platform/kube/path.ts';
import type { KubeClient, KubeObject } from '../platform/kube/types.ts';
import type { Effects, Report, Self } from './waiter.ts';

const BACKOFF = { minMs: 200, maxMs: 5000 };

interface ScheduledPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

/**
 * The node that we run on: as we were told, else as our own Pod says. By the Pod's spec, which is set before anything of it
 * runs; its status, with the host's address, comes later.
 * @throws NotPermittedError or ConfigError with the way to tell us
 */
export async function nodeOfOwnPod(
  { nodeName, podName }: Self,
  kube: Effects['kube'],
  { report, signal }: { readonly report: Report; readonly signal: AbortSignal },
): Promise<string> {
  if (nodeName !== undefined) return nodeName;
  const client = await kube();
  const how = 'set NODE_NAME from spec.nodeName (downward API)';
  for (let attempt = 0; ; attempt++) {
    try {
      const name = await askFor(client, podName, signal);
      if (name !== undefined) return name;
      throw new ConfigError(`Pod ${podName} is on no node; ${how}`);
    } catch (error) {
      signal.throwIfAborted();
      const status = error instanceof ApiError ? error.status : undefined;
      const what = `cannot tell which node this is: ${messageOf(error)}; ${how}`;
      if (status === 403) throw new NotPermittedError(what, { cause: error });
      if (status === 404) throw new ConfigError(`${what}, and POD_NAME from metadata.name`, { cause: error });
      if (error instanceof ConfigError) throw error;
      report(`API server: ${messageOf(error)}`);
      await pause(backoffMs(attempt, BACKOFF), signal);
    }
  }
}

async function askFor(client: KubeClient, podName: string, signal: AbortSignal): Promise<string | undefined> {
  const pod = await client.get<ScheduledPod>(objectPath(podRef(client.namespace, podName)), { signal });
  return pod.spec?.nodeName;
}
