import { podsOf, progressOf } from '../../kube/pods.ts';
import { selectorText, type LabelSelector } from '../../kube/rollout.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';

/** The fields of a workload that the wait itself does not read. */
interface Described {
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** Why a rollout does not end: a Pod that can't be created, as by a quota, or that does not start. */
export async function whyUnavailable(
  client: KubeClient,
  workload: KubeObject,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { spec, status } = workload as Described;
  const denied = status?.conditions?.find((one) => one.type === 'ReplicaFailure' && one.status === 'True');
  if (denied !== undefined) return `no further Pod: ${denied.message ?? denied.type}`;
  if (spec?.selector === undefined) return undefined;
  const pods = await podsOf(client, namespace, selectorText(spec.selector), signal);
  return pods.map(progressOf).find((reason) => reason !== undefined);
}
