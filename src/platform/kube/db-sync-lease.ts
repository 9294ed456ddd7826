/**
 * What a migration leaves on a Lease (coordination.k8s.io/v1) for who waits for it: kolla-db-sync writes it, waits read it. It
 * outlives the Job, which a TTL may take away.
 */
import type { KubeObject, ObjectRef } from './types.ts';

/** In metadata.annotations. */
export const DB_SYNC_ANNOTATIONS = {
  /** `running`, `done` or `failed`. */
  state: 'kolla-pod/state',
  /** What was migrated to, as `--release` said it. */
  release: 'kolla-pod/release',
  /** The phase that the state is about. */
  phase: 'kolla-pod/phase',
} as const;

export interface DbSyncRecord {
  readonly state: string | undefined;
  readonly release: string | undefined;
  readonly phase: string | undefined;
}

/** Where the record of a migration lies. @param name the migration's: `keystone` */
export function dbSyncLease(namespace: string, name: string): ObjectRef {
  return {
    group: 'coordination.k8s.io',
    version: 'v1',
    resource: 'leases',
    namespace,
    name: `kolla-db-sync-${name}`,
  };
}

export function dbSyncRecord({ metadata: { annotations = {} } }: KubeObject): DbSyncRecord {
  const { state, release, phase } = DB_SYNC_ANNOTATIONS;
  return { state: annotations[state], release: annotations[release], phase: annotations[phase] };
}
