/**
 * The Lease (coordination.k8s.io/v1) of a migration: who migrates, and in its annotations what a migration leaves there
 * for who waits for it. kolla-db-sync writes it, waits read it. It outlives the Job, which a TTL may take away.
 */
import { formatProblem } from '../core/format.ts';
import type { KubeObject, ObjectRef } from './types.ts';

export const LEASE_RESOURCE = { group: 'coordination.k8s.io', resource: 'leases', namespaced: true } as const;

/** In metadata.annotations. */
export const DB_SYNC_ANNOTATIONS = {
  /** `running`, `done`, `failed`, `interrupted` or `lost`: of the last migration that began. */
  state: 'kolla-pod/state',
  /** What was migrated to, as `--release` said it. */
  release: 'kolla-pod/release',
  /** The phase that the state is about. */
  phase: 'kolla-pod/phase',
  /** The release whose code may start on this schema; empty when it had no name. */
  readyFor: 'kolla-pod/ready-for',
  /** The fencing token of that migration. For people. */
  token: 'kolla-pod/token',
  /** When it ended, by its own clock. For people. */
  ended: 'kolla-pod/ended',
  /** How all of these are written. */
  format: 'kolla-pod/format',
} as const;

type DbSyncRecord = {
  readonly [Key in Exclude<keyof typeof DB_SYNC_ANNOTATIONS, 'token' | 'ended' | 'format'>]: string | undefined;
} & { readonly format?: string | undefined };

/** Where the record of a migration lies. @param name the migration's: `keystone` */
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
 * What a migration's record means: ready by the release whose code may start on the schema, whatever a phase beside the
 * running service does then, or did in vain. Of the rest only what a person wants to know.
 * @param wanted the release; undefined: any will do
 */
export function readinessIn(
  { state, release, phase, readyFor, format }: DbSyncRecord,
  wanted: string | undefined,
): { readonly isReady: boolean; readonly says: string } {
  const problem = formatProblem(format);
  if (problem !== undefined) return { isReady: false, says: `what is recorded ${problem}` };
  const ready = readyFor === undefined ? undefined : `ready for ${nameOf(readyFor)}`;
  if (ready !== undefined && (wanted === undefined || readyFor === wanted)) return { isReady: true, says: ready };
  const last = state === undefined ? 'nothing recorded yet' : `${state} (${phase}) of ${nameOf(release)}`;
  return { isReady: false, says: ready === undefined ? last : `${ready}, not ${wanted}; ${last}` };
}

function nameOf(release = ''): string {
  return release === '' ? 'a release without a name' : `release ${release}`;
}

/** What charts put on everything. */
export const VERSION_LABEL = 'app.kubernetes.io/version';

/** What an object, or a Pod template, says that it belongs to: our annotation or, without it, its version label. */
export function releaseOf({
  annotations,
  labels,
}: Pick<KubeObject['metadata'], 'annotations' | 'labels'>): string | undefined {
  return annotations?.[DB_SYNC_ANNOTATIONS.release] ?? labels?.[VERSION_LABEL];
}
