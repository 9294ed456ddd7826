import { JOB_NAME, podsOf, problemOf, type Pod } from '../../kube/pods.ts';
import { selectorText, type LabelSelector } from '../../kube/rollout.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';

/** On the objects of many charts, and their Pods: the name of the release. */
const INSTANCE = 'app.kubernetes.io/instance';

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

/** The Jobs before an upgrade, whose names in these charts end in the release's revision; and why their Pods don't start. */
export async function hooksState(
  client: KubeClient,
  namespace: string,
  release: string,
  revision: number,
  signal: AbortSignal,
): Promise<{ readonly jobs: readonly string[]; readonly problem: string | undefined }> {
  const pods = await podsOf(client, namespace, JOB_NAME, signal);
  const hooks = pods.filter(({ metadata: { labels = {} } }) => {
    const { [JOB_NAME]: name = '', [INSTANCE]: instance = release } = labels;
    // The names of Nova's Jobs and of those of its cells begin with the same word, and both are upgraded at the same time.
    return instance === release && name.startsWith(`${release}-`) && name.endsWith(`-r${revision}`);
  });
  const jobs = hooks.map(({ metadata: { labels = {} } }) => labels[JOB_NAME] ?? '');
  return { jobs: [...new Set(jobs)], problem: hooks.map(problemOf).find(isProblem) };
}

/** The Pod that tells how a Job has ended: the newest one. Those of drained nodes were replaced. */
export async function jobPod(
  client: KubeClient,
  namespace: string,
  job: string,
  signal: AbortSignal,
): Promise<Pod | undefined> {
  const pods = await podsOf(client, namespace, `${JOB_NAME}=${job}`, signal);
  const isDrained = ({ status }: Pod) => status?.conditions?.some(({ type }) => type === 'DisruptionTarget') === true;
  return pods
    .filter((pod) => !isDrained(pod))
    .toSorted((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1))
    .at(-1);
}

function createdAt({ metadata }: Pod): string {
  return (metadata as { creationTimestamp?: string }).creationTimestamp ?? '';
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
