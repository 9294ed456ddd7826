import { collectionPath } from '../../kube/path.ts';
import { JOB_NAME, podsOf, progressOf } from '../../kube/pods.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import { unlessDenied } from '../../kube/api-error.ts';

interface Event extends KubeObject {
  readonly message?: string;
}

/** Why a Job does not end: its Pods, or why it has none. */
export async function whyUnfinished(
  client: KubeClient,
  { metadata: { name } }: KubeObject,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const pods = await podsOf(client, namespace, `${JOB_NAME}=${name}`, signal);
  const open = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  if (open.length > 0) return open.map(progressOf).find((reason) => reason !== undefined);
  const denied = await eventOf(client, namespace, name, 'FailedCreate', signal);
  return denied && `no Pod: ${denied.message ?? 'FailedCreate'}`;
}

/**
 * Why a Job is missing: its TTL may have removed it, which Events remember for an hour, if they may be read.
 * @param isMigration whether the wait already uses a migration's record in its place
 */
export async function whyGone(
  client: KubeClient,
  name: string,
  isMigration: boolean,
  namespace: string,
  signal: AbortSignal,
): Promise<string> {
  const completed = await eventOf(client, namespace, name, 'Completed', signal).catch(unlessDenied);
  const known = completed
    ? 'one completed and was removed since, as by its ttlSecondsAfterFinished'
    : 'if its ttlSecondsAfterFinished has removed it, nothing shows that it completed';
  return isMigration ? known : `${known}: wait for job/${name}?db-sync=MIGRATION, or give it a longer TTL`;
}

/** The last Event about a Job with this reason; undefined if there is none. */
async function eventOf(
  client: KubeClient,
  namespace: string,
  name: string,
  reason: string,
  signal: AbortSignal,
): Promise<Event | undefined> {
  const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${name},reason=${reason}`;
  const path = collectionPath({ group: '', version: 'v1', resource: 'events', namespace });
  const query = `fieldSelector=${encodeURIComponent(fieldSelector)}`;
  const { items = [] } = await client.get<{ items?: readonly Event[] }>(`${path}?${query}`, { signal });
  return items.at(-1);
}
