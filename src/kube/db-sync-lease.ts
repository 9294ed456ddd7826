/**
 * The Lease (coordination.k8s.io/v1) of a migration: the migrator, and in its annotations the state for waiters.
 * kolla-db-sync writes it, waits read it. It outlives the Job, which a TTL may remove.
 */
import { formatProblem } from '../core/format.ts';
import type { KubeObject, ObjectRef } from './types.ts';

export const LEASE_RESOURCE = { group: 'coordination.k8s.io', resource: 'leases', namespaced: true } as const;

/** In metadata.annotations. */
export const DB_SYNC_ANNOTATIONS = {
  /** `running`, `done`, `failed`, `interrupted` or `lost`: of the last started migration. */
  state: 'kolla-pod/state',
  /** The target release, from `--release`. */
  release: 'kolla-pod/release',
  /** The phase of the state. */
  phase: 'kolla-pod/phase',
  /** The release whose code may start on this schema; empty when it had no name. */
  readyFor: 'kolla-pod/ready-for',
  /** The fencing token of that migration. Informational. */
  token: 'kolla-pod/token',
  /** When it ended, by its own clock. Informational. */
  ended: 'kolla-pod/ended',
  /** The format of all of these. */
  format: 'kolla-pod/format',
} as const;

type DbSyncRecord = {
  readonly [Key in Exclude<keyof typeof DB_SYNC_ANNOTATIONS, 'token' | 'ended' | 'format'>]: string | undefined;
} & { readonly format?: string | undefined };

/**
 * The Lease of a migration.
 * @param name of the migration: `keystone`
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
 * Judges a migration's record: ready by the release whose code may start on the schema, regardless of a phase that
 * runs, or failed, next to the live service. The rest is only informational.
 * @param wanted the release; undefined: any
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

/** Set by charts on all objects. */
export const VERSION_LABEL = 'app.kubernetes.io/version';

/** The release of an object or a Pod template: our annotation or, without it, its version label. */
export function releaseOf({
  annotations,
  labels,
}: Pick<KubeObject['metadata'], 'annotations' | 'labels'>): string | undefined {
  return annotations?.[DB_SYNC_ANNOTATIONS.release] ?? labels?.[VERSION_LABEL];
}
