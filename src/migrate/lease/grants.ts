import { dbSyncLease } from '../../kube/db-sync-lease.ts';
import type { Grant, Verb } from '../../kube/rbac.ts';
import type { ObjectRef } from '../../kube/types.ts';

/** The verbs needed on the Lease. RBAC cannot restrict `create` to a name. */
export const LEASE_VERBS = ['get', 'watch', 'update'] as const satisfies readonly Verb[];

/**
 * The minimal permissions for the lock.
 * @param name the name of the Lease, as in `--lease-name`
 */
export function leaseGrants(namespace: string, name: string): Grant[] {
  return grantsOn(dbSyncLease(namespace, name));
}

export function grantsOn({ group, resource, namespace, name }: ObjectRef): Grant[] {
  return [
    { namespace, rule: { group, resource, names: [name], verbs: LEASE_VERBS } },
    { namespace, rule: { group, resource, verbs: ['create'] } },
  ];
}
