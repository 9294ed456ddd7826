import { ApiError } from '../../platform/kube/api-error.ts';
import { collectionPath, objectPath } from '../../platform/kube/path.ts';
import type { LeaseObject } from './object.ts';
import type { LeaseSite } from './site.ts';

/** The Lease as it is now; undefined when there is none. Rejects as KubeClient.get(). */
export async function readLease({ client, ref }: LeaseSite, signal: AbortSignal): Promise<LeaseObject | undefined> {
  try {
    return await client.get<LeaseObject>(objectPath(ref), { signal });
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/**
 * Writes it only if nobody has since it was read: in the place of the version that it carries, or as the first one.
 * Rejects as KubeClient.request(): 409 when somebody was first, 404 when it was deleted meanwhile.
 */
export async function writeLease(
  { client, ref }: LeaseSite,
  lease: LeaseObject,
  signal: AbortSignal,
): Promise<LeaseObject> {
  const isNew = lease.metadata.resourceVersion === undefined;
  const path = isNew ? collectionPath(ref) : objectPath(ref);
  return await client.request<LeaseObject>(isNew ? 'POST' : 'PUT', path, lease, { signal });
}

/** Undefined where no API server has answered. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.status : undefined;
}

export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409;
}
