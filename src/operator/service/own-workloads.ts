import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient } from '../../kube/types.ts';
import type { Cache } from '../runtime/cache.ts';
import type { ManifestObject } from '../helm/release.ts';
import { GROUP, MANAGER, VERSION, ownRef, type OpenStackService, type OpenStackWorkload } from '../api/objects.ts';
import { isReplicated } from './scale.ts';

/**
 * Creates an OpenStackWorkload for each workload of a release, takes over those that users have created, and deletes those
 * whose workload the chart no longer has. Costs nothing if all are there; an old cache only repeats the same writes.
 */
export async function ensureScales(
  client: KubeClient,
  { metadata: { namespace, name, uid } }: OpenStackService,
  objects: readonly ManifestObject[],
  scales: Cache<OpenStackWorkload>,
  signal: AbortSignal,
): Promise<void> {
  const wanted = objects.filter(isReplicated);
  const isOwned = ({ metadata }: OpenStackWorkload) =>
    metadata.ownerReferences?.some((one) => one.uid === uid) === true;
  const apiVersion = `${GROUP}/${VERSION}`;
  const ownerReferences = [{ apiVersion, kind: 'OpenStackService', name, uid, controller: true }];
  for (const { kind, name: workload } of wanted) {
    const found = scales.get(workload);
    const isTaken = found?.metadata.ownerReferences?.some(({ controller }) => controller) === true;
    const isOfOtherKind = found !== undefined && (found.spec.kind ?? 'Deployment') !== kind;
    if (isTaken || isOfOtherKind) continue;
    const metadata = { namespace, name: workload, ownerReferences };
    const path = objectPath(ownRef('OpenStackWorkload', namespace, workload));
    await client.apply(
      path,
      { apiVersion, kind: 'OpenStackWorkload', metadata, spec: { kind } },
      { signal, manager: MANAGER },
    );
  }
  for (const scale of scales.values()) {
    const isWanted = wanted.some(
      (object) => object.name === scale.metadata.name && object.kind === (scale.spec.kind ?? 'Deployment'),
    );
    if (isWanted || !isOwned(scale) || scale.metadata.deletionTimestamp !== undefined) continue;
    const path = objectPath(ownRef('OpenStackWorkload', namespace, scale.metadata.name));
    await client
      .request('DELETE', path, { preconditions: { uid: scale.metadata.uid } }, { signal })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
      });
  }
}
