/**
 * The Lease (coordination.k8s.io/v1) of a migration: names the migrator, and has the state for waiters in its
 * annotations. kolla-db-sync writes it, waits read it. It outlives the Job, which a TTL may remove.
 */
import { formatProblem } from '../core/format.ts';
import type { KubeObject, ObjectRef } from './types.ts';

export const LEASE_RESOURCE = { group: 'coordination.k8s.io', resource: 'leases', namespaced: true } as const;

/** Keys in metadata.annotations. */
export const DB_SYNC_ANNOTATIONS = {
  /** State of the migration that was started last: `running`, `done`, `failed`, `interrupted` or `lost`. */
  state: 'kolla-pod/state',
  /** The target release, from `--release`. */
  release: 'kolla-pod/release',
  /** The phase to which the state belongs. */
  phase: 'kolla-pod/phase',
  /** The release whose code may start on this schema; empty if the release has no name. */
  readyFor: 'kolla-pod/ready-for',
  /** The fencing token of the migration that was started last, for information. */
  token: 'kolla-pod/token',
  /** When that migration ended, by the migrator's clock, for information. */
  ended: 'kolla-pod/ended',
  /** The format of all these annotations. */
  format: 'kolla-pod/format',
} as const;

type DbSyncRecord = {
  readonly [Key in Exclude<keyof typeof DB_SYNC_ANNOTATIONS, 'token' | 'ended' | 'format'>]: string | undefined;
} & { readonly format?: string | undefined };

/**
 * The Lease of a migration.
 * @param name the migration's name: `keystone`
 */
export function dbSyncLease(namespace: string, name: string): ObjectRef {
  const { group, resource } = LEASE_RESOURCE;
  return { group, version: 'v1', resource, namespace, name: `kolla-db-sync-${name}` };
}

export function dbSyncRecord({ metadata: { annotations = {} } }: KubeObject): DbSyncRecord {
  const { state, release, phase, readyFor, format } = DB_SYNC_ANNOTATIONS;
  return {
    state: annotations[state],
    release: annotations[release],
    phase: annotations[phase],
    readyFor: annotations[readyFor],
    format: annotations[format],
  };
}

/**
 * Judges a migration's record by the release whose code may start on the schema. A phase that runs or has failed while
 * the service stays up does not matter; other fields are informational.
 * @param wanted the release; if undefined, any release
 */
export function readinessIn(
  { state, release, phase, readyFor, format }: DbSyncRecord,
  wanted: string | undefined,
): { readonly isReady: boolean; readonly says: string } {
  const problem = formatProblem(format);
  if (problem !== undefined) return { isReady: false, says: `the record ${problem}` };
  const ready = readyFor === undefined ? undefined : `ready for ${nameOf(readyFor)}`;
  if (ready !== undefined && (wanted === undefined || readyFor === wanted)) return { isReady: true, says: ready };
  const last = state === undefined ? 'nothing recorded yet' : `${state} (${phase}) of ${nameOf(release)}`;
  return { isReady: false, says: ready === undefined ? last : `${ready}, not ${wanted}; ${last}` };
}

function nameOf(release = ''): string {
  return release === '' ? 'a release without a name' : `release ${release}`;
}

/** A label that charts set on all objects. */
export const VERSION_LABEL = 'app.kubernetes.io/version';

/** The release of an object or a Pod template: our annotation or, if it is missing, its version label. */
export function releaseOf({
  annotations,
  labels,
}: Pick<KubeObject['metadata'], 'annotations' | 'labels'>): string | undefined {
  return annotations?.[DB_SYNC_ANNOTATIONS.release] ?? labels?.[VERSION_LABEL];
}
