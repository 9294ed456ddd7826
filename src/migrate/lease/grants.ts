import { dbSyncLease } from '../../kube/db-sync-lease.ts';
import type { Grant, Verb } from '../../kube/rbac.ts';
import type { ObjectRef } from '../../kube/types.ts';

/** What is done to the one Lease. RBAC can't hold a create to a name. */
export const LEASE_VERBS = ['get', 'watch', 'update'] as const satisfies readonly Verb[];

/** The rights that the lock needs, and no more. @param name the Lease's own, as `--lease-name` says it */
export function leaseGrants(namespace: string, name: string): Grant[] {
  return grantsOn(dbSyncLease(namespace, name));
}

export function grantsOn({ group, resource, namespace, name }: ObjectRef): Grant[] {
  return [
    { namespace, rule: { group, resource, names: [name], verbs: LEASE_VERBS } },
    { namespace, rule: { group, resource, verbs: ['create'] } },
  ];
}
