import { ConfigError, NotPermittedError, messageOf } from '../core/errors.ts';
import { unlessAborted } from '../core/abort.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { ApiError } from '../kube/api-error.ts';
import { objectPath, podRef } from '../kube/path.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import type { Effects, OwnNode, Report, Self, WaitContext } from './dependency/waiter.ts';

const BACKOFF = { minMs: 200, maxMs: 5000 };

interface ScheduledPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

/**
 * Resolves the node on first use and only once, because ten waits on this node need not read the same Pod ten times.
 * Each of them receives the errors.
 * @param signal ends the lookup for all waits
 */
export function ownNodeOnce(self: Self, kube: Effects['kube'], signal: AbortSignal): OwnNode {
  const reports = new Set<Report>();
  const tellAll = (state: string) => {
    for (const report of reports) report(state);
  };
  let asked: Promise<string> | undefined;
  return async (way) => {
    reports.add(way.report);
    asked ??= nodeOfOwnPod(self, kube, { report: tellAll, signal });
    return await unlessAborted(asked, way.signal);
  };
}

/**
 * Our node, either given or read from our Pod's spec, which is set before the Pod runs; the status with the host's
 * address is set later.
 * @throws NotPermittedError or ConfigError with the option that sets it
 */
async function nodeOfOwnPod(
  { nodeName, podName }: Self,
  kube: Effects['kube'],
  { report, signal }: WaitContext,
): Promise<string> {
  if (nodeName !== undefined) return nodeName;
  const client = await kube();
  const how = 'set NODE_NAME from spec.nodeName (downward API)';
  for (let attempt = 0; ; attempt++) {
    try {
      const name = await askFor(client, podName, signal);
      if (name !== undefined) return name;
      throw new ConfigError(`Pod ${podName} has no node; ${how}`);
    } catch (error) {
      signal.throwIfAborted();
      const status = error instanceof ApiError ? error.status : undefined;
      const what = `cannot determine this node: ${messageOf(error)}; ${how}`;
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
  const name: unknown = pod.spec?.nodeName;
  return typeof name === 'string' ? name : undefined;
}
