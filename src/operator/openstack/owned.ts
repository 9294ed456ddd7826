import { ApiError } from '../../kube/api-error.ts';
import { objectPath } from '../../kube/path.ts';
import type { KubeClient, KubeObject, ObjectRef } from '../../kube/types.ts';

/** An object with its owners. */
export interface Owned extends KubeObject {
  readonly metadata: KubeObject['metadata'] & {
    readonly uid?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  };
}

/** Whether it was created for an owner: another object may have its name. */
export function isOwnedBy({ metadata }: Owned, uid: string): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
}

/** Deletes this object, unless it is gone, or another one has its name by now. */
export async function deleteOwned(
  client: KubeClient,
  ref: ObjectRef,
  { metadata: { uid } }: Owned,
  signal: AbortSignal,
): Promise<void> {
  const options = { preconditions: { uid }, propagationPolicy: 'Background' };
  await client.request('DELETE', objectPath(ref), options, { signal }).catch((error: unknown) => {
    if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
  });
}

/**
 * Why the API server rejects an object of a chart. Errors of fields quote their values, into which a template of the user may have
 * put anything; those of a quota or of Pod security don't.
 */
export function rejection({ status, message, reason }: ApiError): string {
  return status === 403
    ? message
    : `the API server rejects it: ${reason ?? `status ${status}`}; see why with kubectl apply --dry-run=server`;
}
