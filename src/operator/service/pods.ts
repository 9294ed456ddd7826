import { collectionPath } from '../../kube/path.ts';
import { selectorText, type LabelSelector } from '../../kube/rollout.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';

/** Reasons of a waiting container that a later attempt alone does not remove. */
const STUCK = new Set([
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImageInspectError',
  'ImagePullBackOff',
  'InvalidImageName',
]);
/** More would not help a reader. */
const PODS_MAX = 100;
/** On the Pods of a Job. */
export const JOB_NAME = 'batch.kubernetes.io/job-name';
/** On the objects of many charts, and their Pods: the name of the release. */
const INSTANCE = 'app.kubernetes.io/instance';

interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly message?: string };
  };
}

/** The fields of a Pod that are read here. */
export interface Pod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status?: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/**
 * Why Pods of a workload don't start, in the kubelet's and the scheduler's words; undefined if nothing is known.
 * @param workload with `spec.selector`
 */
export async function podsProblem(
  client: KubeClient,
  namespace: string,
  workload: KubeObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { selector } = (workload as { spec?: { selector?: LabelSelector } }).spec ?? {};
  if (selector === undefined) return undefined;
  return (await podsOf(client, namespace, selectorText(selector), signal)).map(problemOf).find(isProblem);
}

/** The same for the Jobs before an upgrade, whose names in these charts end in the release's revision. */
export async function hooksProblem(
  client: KubeClient,
  namespace: string,
  release: string,
  revision: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const pods = await podsOf(client, namespace, JOB_NAME, signal);
  const hooks = pods.filter(({ metadata: { labels = {} } }) => {
    const { [JOB_NAME]: name = '', [INSTANCE]: instance = release } = labels;
    // The names of Nova's Jobs and of those of its cells begin with the same word, and both are upgraded at the same time.
    return instance === release && name.startsWith(`${release}-`) && name.endsWith(`-r${revision}`);
  });
  return hooks.map(problemOf).find(isProblem);
}

/** The Pods with these labels. */
export async function podsOf(
  client: KubeClient,
  namespace: string,
  labelSelector: string,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const path = collectionPath({ group: '', version: 'v1', resource: 'pods', namespace });
  const query = new URLSearchParams({ labelSelector, limit: String(PODS_MAX) });
  return (await client.get<{ items?: readonly Pod[] }>(`${path}?${query.toString()}`, { signal })).items ?? [];
}

function isProblem(problem: string | undefined): problem is string {
  return problem !== undefined;
}

/** The last termination message that a container of a Pod has left. */
export function wordsOf({ status = {} }: Pod): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const messages = [...initContainerStatuses, ...containerStatuses].map(({ state }) =>
    state?.terminated?.message?.trim(),
  );
  return messages.findLast((message) => message !== undefined && message !== '');
}

/** Why a Pod does not start, in the kubelet's and the scheduler's words; undefined if nothing is known. */
export function problemOf({ metadata, status = {} }: Pod): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = status;
  for (const { name, state } of [...initContainerStatuses, ...containerStatuses]) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    if (STUCK.has(reason)) return `pod/${metadata.name}, container ${name}: ${reason}: ${message}`;
  }
  const unschedulable = conditions.find(({ reason }) => reason === 'Unschedulable');
  return unschedulable && `pod/${metadata.name}: Unschedulable: ${unschedulable.message}`;
}
