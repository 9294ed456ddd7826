/**
 * The Lease (coordination.k8s.io/v1) of a migration: names the migrator, and has the state for waiters in its
 * annotations. kolla-db-sync writes it, waits read it. It outlives the Job, which a TTL may remove.
 */
import { formatProblem } from '../core/format.ts';
import { isOlderRelease, isReleaseName } from '../core/release.ts';
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
  /** The newest release that has removed what an older one needs. Kept when a later phase replaces the state. */
  contracted: 'kolla-pod/contracted',
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
  const { state, release, phase, readyFor, contracted, format } = DB_SYNC_ANNOTATIONS;
  return {
    state: annotations[state],
    release: annotations[release],
    phase: annotations[phase],
    readyFor: annotations[readyFor],
    contracted: annotations[contracted],
    format: annotations[format],
  };
}

/** The release that has removed what an older one needs. A record from before that annotation has only its last phase. */
export function contractedIn({ contracted, phase, release }: DbSyncRecord): string | undefined {
  return contracted ?? (phase === 'contract' || phase === 'online' ? release : undefined);
}

interface PhaseRun {
  readonly release: string;
  readonly state: string;
  readonly isOneWay: boolean;
}

/** The release that has contracted the schema, after another phase. */
export function contractedAfter(
  before: string | undefined,
  { isOneWay, release, state }: PhaseRun,
): string | undefined {
  if (isOneWay && isReleaseName(release)) return release;
  // An older release's phase is refused, unless the database was restored, and its records with it.
  return state === 'done' && isOlderRelease(release, before) ? undefined : before;
}

/**
 * The release that has contracted the schema, by the database's records.
 * @param rows the latest first
 */
export function contractedBy(
  rows: readonly { readonly release: string; readonly phase: string; readonly state: string }[],
  isOneWay: (phase: string) => boolean,
): string | undefined {
  const runs = rows.map((row) => ({ ...row, isOneWay: isOneWay(row.phase) })).toReversed();
  return runs.reduce<string | undefined>(contractedAfter, undefined);
}

/**
 * Why a release can't run on the schema.
 * @param restored what must be done besides, if the database is restored
 */
export function noWayBackTo(target: string, contracted: string, restored: string): string {
  return (
    `contract of ${contracted} has begun, and ${target} does not run on its schema; ` +
    `set the release to ${contracted}, or restore the backup${restored}`
  );
}

interface Readiness {
  readonly isReady: boolean;
  /** Whether it does not become ready by itself: the schema is contracted for a newer release. */
  readonly isRefused: boolean;
  readonly says: string;
}

/**
 * Judges a migration's record by the release whose code may start on the schema. A phase that runs or has failed while
 * the service stays up does not matter, unless it removes what the release needs; other fields are informational.
 * @param wanted the release; if undefined, any release
 */
export function readinessIn(record: DbSyncRecord, wanted: string | undefined): Readiness {
  const { state, release, phase, readyFor, format } = record;
  const problem = formatProblem(format);
  if (problem !== undefined) return { isReady: false, isRefused: false, says: `the record ${problem}` };
  const [contracted, target] = [contractedIn(record), wanted ?? readyFor];
  if (contracted !== undefined && target !== undefined && isOlderRelease(target, contracted))
    return { isReady: false, isRefused: true, says: noWayBackTo(target, contracted, ' and delete the Lease') };
  const ready = readyFor === undefined ? undefined : `ready for ${nameOf(readyFor)}`;
  if (ready !== undefined && (wanted === undefined || readyFor === wanted))
    return { isReady: true, isRefused: false, says: ready };
  const last = state === undefined ? 'nothing recorded yet' : `${state} (${phase}) of ${nameOf(release)}`;
  return { isReady: false, isRefused: false, says: ready === undefined ? last : `${ready}, not ${wanted}; ${last}` };
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
