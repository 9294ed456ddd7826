import { messageOf } from '../../core/errors.ts';
import { unlessGone } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient } from '../../kube/types.ts';
import { jobPod, wordsOf } from './pods.ts';
import { judgeJob, WORKLOAD_KINDS, type Job } from './workloads.ts';

/** The Job of a hook that has failed, in the words of Helm 4 and of Helm 3. */
const FAILED_JOB =
  /hooks failed: [\s\S]*?(?:resource Job\/[-.a-z0-9]+\/([-.a-z0-9]+) not ready|job ([-.a-z0-9]+) failed)/;

/**
 * Helm's error, with the reason of the Job that has failed: Helm 4 has only that it has failed.
 * @param withWords whether the last message of its Pod may be shown, too
 */
export async function withJobReason(
  client: KubeClient,
  namespace: string,
  error: string,
  withWords: boolean,
  signal: AbortSignal,
): Promise<string> {
  const [, name4, name3] = FAILED_JOB.exec(error) ?? [];
  const name = name4 ?? name3;
  if (name === undefined) return error;
  const reason = await reasonOf(client, namespace, name, withWords, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    return `not known: ${messageOf(cause)}`;
  });
  return `${error}; job/${name}: ${reason}`;
}

async function reasonOf(
  client: KubeClient,
  namespace: string,
  name: string,
  withWords: boolean,
  signal: AbortSignal,
): Promise<string> {
  const job = await client
    .get<Job>(objectPath({ ...WORKLOAD_KINDS.Job, namespace, name }), { signal })
    .catch(unlessGone);
  if (job === undefined) return 'it was deleted';
  const { state } = judgeJob(job);
  const pod = withWords ? await jobPod(client, namespace, name, signal) : undefined;
  const words = pod && wordsOf(pod);
  return words === undefined ? state : `${state}: ${words}`;
}
