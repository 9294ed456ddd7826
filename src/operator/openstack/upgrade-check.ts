import { ApiError, unlessGone } from '../../kube/api-error.ts';
import { collectionPath, objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject } from '../../kube/types.ts';
import { GROUP, MANAGER, VERSION, type OpenStack } from '../api/objects.ts';
import { JOB_NAME, podsOf, problemOf } from '../../kube/pods.ts';
import { jobPod, podsProblem, wordsOf } from '../service/pods.ts';
import { judgeJob, type Job } from '../service/workloads.ts';
import { deleteOwned, isOwnedBy, rejection, type Owned } from './owned.ts';

/** On the Job of a chart that was rendered with `upgrade.check`. */
const UPGRADE_CHECK = 'kolla-pod/upgrade-check';
/** What the charts' Jobs mount. */
const RESOURCES: Readonly<Record<string, string>> = { Secret: 'secrets', ConfigMap: 'configmaps' };

/** An object that Helm has rendered. */
export interface Rendered extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
}

interface CheckJob extends Job {
  readonly metadata: Owned['metadata'] & { readonly uid: string };
  readonly spec?: { readonly suspend?: boolean; readonly template?: { readonly metadata?: object } };
}

/** What the upgrade check of a service says. */
export type Checked =
  | { readonly is: 'passed'; readonly warning?: string | undefined }
  | { readonly is: 'pending'; readonly why: string }
  | { readonly is: 'failed'; readonly why: string };

/**
 * Runs the upgrade check of a service in a Job, which owns what it mounts, and reads its result. The next call, after an
 * interval or a restart, finds the same Job: its name has the hash of its template. One that has passed is deleted here, a failed
 * one by its TTL.
 * @param rendered all objects that the chart renders with `upgrade.check`; a chart without such a Job has no check
 */
export async function checkUpgrade(
  client: KubeClient,
  openstack: OpenStack,
  rendered: readonly Rendered[],
  signal: AbortSignal,
): Promise<Checked> {
  const wanted = rendered.find(({ metadata }) => metadata.annotations?.[UPGRADE_CHECK] !== undefined);
  if (wanted === undefined) return { is: 'passed' };
  const { namespace } = openstack.metadata;
  const ref = { group: 'batch', version: 'v1', resource: 'jobs', namespace, name: wanted.metadata.name };
  const job = await client.get<CheckJob>(objectPath(ref), { signal }).catch(unlessGone);
  const what = `job/${ref.name}`;
  if (job !== undefined && !isOwnedBy(job, openstack.metadata.uid))
    return {
      is: 'failed',
      why: `${what} is not of this OpenStack: delete it, or name the service in upgrade.skipChecks`,
    };
  // While it is suspended, not all that it mounts may be there.
  if (job === undefined || job.spec?.suspend === true) {
    try {
      const foreign = await begin(client, openstack, wanted, rendered, signal);
      if (foreign !== undefined) return { is: 'failed', why: `${foreign} is not of ${what}: delete it` };
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 403, 422].includes(error.status)) throw error;
      return { is: 'failed', why: `${what}: ${rejection(error)}` };
    }
    return { is: 'pending', why: `${what} starts` };
  }
  if (job.metadata.deletionTimestamp !== undefined) return { is: 'pending', why: `${what} of an earlier attempt ends` };
  const verdict = judgeJob(job);
  if (verdict.is === 'pending') {
    const problem = (await podsProblem(client, namespace, job, signal)) ?? (await refusal(client, job, signal));
    return problem === undefined ? { is: 'pending', why: `${what}: running` } : { is: 'failed', why: problem };
  }
  const pod = await jobPod(client, namespace, ref.name, signal);
  const words = pod && wordsOf(pod)?.replace(/^kolla-db-sync: /, '');
  if (verdict.is === 'failed')
    return {
      is: 'failed',
      why: `${words ?? (pod && problemOf(pod)) ?? verdict.state} (${what}, deleted after 10 min)`,
    };
  await deleteOwned(client, ref, job, signal);
  return { is: 'passed', warning: words };
}

/** @returns an object of another owner that has the name of one that the Job mounts: it must not end with the Job */
async function begin(
  client: KubeClient,
  { metadata: { namespace, name, uid } }: OpenStack,
  job: Rendered,
  rendered: readonly Rendered[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const apply = async <T>(path: string, object: object) =>
    await client.apply<T>(path, object, { signal, manager: MANAGER });
  const jobPath = objectPath({ group: 'batch', version: 'v1', resource: 'jobs', namespace, name: job.metadata.name });
  const owner = { apiVersion: `${GROUP}/${VERSION}`, kind: 'OpenStack', name, uid };
  const suspended = { ...(job as Rendered & { spec: object }).spec, suspend: true };
  const { metadata } = await apply<CheckJob>(jobPath, { ...ownedBy(job, owner), spec: suspended });
  const jobOwner = { apiVersion: 'batch/v1', kind: 'Job', name: metadata.name, uid: metadata.uid };
  for (const object of rendered) {
    const resource = RESOURCES[object.kind];
    if (resource === undefined) continue;
    const ref = { group: '', version: 'v1', resource, namespace, name: object.metadata.name };
    const found = await client.get<Owned>(objectPath(ref), { signal, metadataOnly: true }).catch(unlessGone);
    // An interrupted attempt may have left those of a Job that is deleted by now.
    const isOurs = found?.metadata.ownerReferences?.some((one) => one.kind === 'Job' && one.name === metadata.name);
    if (found !== undefined && isOurs !== true) return `${object.kind} ${ref.name}`;
    await apply(objectPath(ref), ownedBy(object, jobOwner));
  }
  await client.request('PATCH', jobPath, { spec: { suspend: false } }, { signal });
  return undefined;
}

/** Why the API server creates no Pod of a Job, such as an exceeded quota, in its words, which otherwise only Events have. */
async function refusal(
  client: KubeClient,
  { metadata, spec }: CheckJob,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace = '', name } = metadata;
  if ((await podsOf(client, namespace, `${JOB_NAME}=${name}`, signal)).length > 0) return undefined;
  const template = spec?.template;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    ...template,
    metadata: { ...template?.metadata, generateName: `${name}-` },
  };
  const path = `${collectionPath({ group: '', version: 'v1', resource: 'pods', namespace })}?dryRun=All`;
  try {
    await client.request('POST', path, pod, { signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    return `job/${name}: ${error.message}`;
  }
}

function ownedBy(object: Rendered, owner: object): Rendered {
  return { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } as Rendered['metadata'] };
}
