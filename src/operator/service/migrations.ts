import { isOneWay, knownRelease, RELEASES, serviceNamed } from '../../catalog/index.ts';
import { defined } from '../../core/defined.ts';
import { isOlderRelease } from '../../core/release.ts';
import { contractedIn, dbSyncLease, dbSyncRecord, noWayBackTo } from '../../kube/db-sync-lease.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { ManifestObject } from '../helm/release.ts';
import type { MigrationStatus } from '../api/objects.ts';

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
  const record = dbSyncRecord(lease);
  const { state, phase, release } = record;
  // A record from before the annotation does not say it of a complete migration.
  const own = isOneWay(serviceNamed(name), phase ?? '') ? release : undefined;
  const contracted = newest([before?.contracted, ...[contractedIn(record), own].map((each) => knownRelease(each))]);
  return { name, ...defined({ state, phase, release, contracted }) };
}

function newest(releases: readonly (string | undefined)[]): string | undefined {
  return RELEASES.findLast((release) => releases.includes(release));
}

/** Why a service can't go back to a release; undefined if nothing is known that prevents it. */
export function noWayBack(migrations: readonly MigrationStatus[] = [], target: string | undefined): string | undefined {
  for (const { name, contracted } of migrations) {
    if (target !== undefined && contracted !== undefined && isOlderRelease(target, contracted))
      return `Lease kolla-db-sync-${name}: ${noWayBackTo(target, contracted, ' and delete the Lease')}`;
  }
  return undefined;
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
