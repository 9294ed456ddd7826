import { knownRelease, RELEASES, serviceNamed } from '../../catalog/index.ts';
import { defined } from '../../core/defined.ts';
import { dbSyncLease, dbSyncRecord } from '../../kube/db-sync-lease.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ManifestObject } from '../helm/release.ts';
import type { MigrationStatus } from '../objects.ts';

const LEASE = dbSyncLease('', '').name;

/** The migration that a Lease is about; undefined for any other Lease. */
export function migrationIn(lease: string): string | undefined {
  return lease.startsWith(LEASE) ? lease.slice(LEASE.length) : undefined;
}

/** The migrations of a release's Jobs. */
export function migrationsOf(objects: readonly ManifestObject[]): string[] {
  return [...new Set(objects.flatMap(({ migration }) => migration ?? []))];
}

/**
 * What a Lease says of a migration.
 * @param before the last known state of the same Lease: a later Job overwrites the phase that matters for going back
 */
export function migrationStatus(name: string, lease: KubeObject, before: MigrationStatus | undefined): MigrationStatus {
  const { state, phase, release } = dbSyncRecord(lease);
  const contracted = newest([before?.contracted, isOneWay(name, phase) ? knownRelease(release) : undefined]);
  return { name, ...defined({ state, phase, release, contracted }) };
}

/** Whether a phase removes what an older release needs, from its first moment. */
function isOneWay(name: string, phase: string | undefined): boolean {
  if (phase === 'contract' || phase === 'online') return true;
  const { contract, online } = serviceNamed(name)?.migration.phases ?? {};
  return phase === 'all' && (contract !== undefined || online !== undefined);
}

function newest(releases: readonly (string | undefined)[]): string | undefined {
  return RELEASES.findLast((release) => releases.includes(release));
}

/** Why a service can't go back to a release; undefined if nothing is known that prevents it. */
export function noWayBack(migrations: readonly MigrationStatus[] = [], target: string | undefined): string | undefined {
  const index = (release: string | undefined) => (RELEASES as readonly (string | undefined)[]).indexOf(release);
  const passed = migrations.find(({ contracted }) => index(target) !== -1 && index(contracted) > index(target));
  if (passed === undefined) return undefined;
  const { name, contracted } = passed;
  return (
    `Lease kolla-db-sync-${name}: contract of ${contracted} has begun, and ${target} does not run on its schema; ` +
    `set the release to ${contracted}, or restore the backup and delete the Lease`
  );
}

/** Why a migration must be finished first; undefined if it is done, or nothing is known of it. */
export function openMigration(
  migrations: readonly MigrationStatus[] = [],
  target: string | undefined,
): string | undefined {
  const open = migrations.find(({ state, release }) => {
    if (state === undefined || state === 'done') return false;
    // Repeating a failed migration to the same release is how it is resumed.
    return state === 'running' || knownRelease(release) !== target;
  });
  if (open === undefined) return undefined;
  const { name, state, phase, release } = open;
  return `Lease kolla-db-sync-${name}: ${phase} of ${release} is ${state}`;
}
