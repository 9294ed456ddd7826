import { createHash } from 'node:crypto';
import { ApiError, unlessGone } from '../../kube/api-error.ts';
import { collectionPath, objectPath } from '../../kube/path.ts';
import type { KubeClient } from '../../kube/types.ts';
import type { Images } from '../helm/images.ts';
import { GROUP, VERSION, type OpenStack } from '../api/objects.ts';
import { problemOf, type Pod } from '../../kube/pods.ts';
import { deleteOwned, isOwnedBy, rejection, type Owned } from './owned.ts';

/** On the Pod: which images it is for. */
const DIGEST = 'kolla-pod.io/images';
const DEADLINE_SECONDS = 3600;
/** Under the `restricted` Pod Security Standard; the process only has to exist. */
const USER = 65_534;

export type Pulled = { readonly is: 'done' } | { readonly is: 'pending' | 'failed'; readonly why: string };

/**
 * Lets a node pull all images, in one Pod whose containers end at once, and deletes the Pod when they are there. The next
 * call, after an interval or a restart, finds the same Pod.
 */
export async function pullImages(
  client: KubeClient,
  openstack: OpenStack,
  { images, pullSecrets }: Images,
  signal: AbortSignal,
): Promise<Pulled> {
  const { namespace, name, uid } = openstack.metadata;
  const ref = { group: '', version: 'v1', resource: 'pods', namespace, name: `${name}-preflight` };
  const digest = createHash('sha256')
    .update(JSON.stringify([images, pullSecrets]))
    .digest('hex')
    .slice(0, 16);
  const pod = await client.get<Pod & Owned>(objectPath(ref), { signal }).catch(unlessGone);
  if (pod !== undefined && !isOwnedBy(pod, uid))
    return {
      is: 'failed',
      why: `pod/${ref.name} is not of this OpenStack: delete it, or set upgrade.checkImages to false`,
    };
  if (pod === undefined) {
    const owner = { apiVersion: `${GROUP}/${VERSION}`, kind: 'OpenStack', name, uid };
    const metadata = { namespace, name: ref.name, annotations: { [DIGEST]: digest }, ownerReferences: [owner] };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec(images, pullSecrets) };
    try {
      await client.request('POST', collectionPath(ref), object, { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 403, 422].includes(error.status)) throw error;
      return { is: 'failed', why: `pod/${ref.name}: ${rejection(error)}` };
    }
    return { is: 'pending', why: `pod/${ref.name} pulls ${images.length} images` };
  }
  const result = resultOf(pod, images.length);
  const isOther = pod.metadata.annotations?.[DIGEST] !== digest;
  if ((isOther || result.is === 'done') && pod.metadata.deletionTimestamp === undefined)
    await deleteOwned(client, ref, pod, signal);
  return isOther ? { is: 'pending', why: `pod/${ref.name} of another release ends` } : result;
}

function podSpec(images: readonly string[], pullSecrets: readonly string[]): object {
  return {
    restartPolicy: 'Never',
    activeDeadlineSeconds: DEADLINE_SECONDS,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    imagePullSecrets: pullSecrets.map((name) => ({ name })),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: images.map((image, i) => ({
      name: `image-${i}`,
      image,
      command: ['true'],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    })),
  };
}

/** A container that has ended, however it did, has its image. */
function resultOf(pod: Pod, count: number): Pulled {
  const { phase, reason, message, containerStatuses = [] } = pod.status ?? {};
  const there = containerStatuses.filter(({ state }) => state?.terminated !== undefined).length;
  if (phase === 'Succeeded' || (phase === 'Failed' && there === count)) return { is: 'done' };
  if (phase === 'Failed')
    return { is: 'failed', why: `pod/${pod.metadata.name}: ${reason}: ${message}; delete it to try again` };
  const problem = problemOf(pod);
  if (problem !== undefined) return { is: 'failed', why: problem };
  return { is: 'pending', why: `pod/${pod.metadata.name} has pulled ${there} of ${count} images` };
}
