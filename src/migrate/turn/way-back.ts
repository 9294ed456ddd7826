import { UnavailableError } from '../../core/errors.ts';
import { isOlderRelease } from '../../core/release.ts';
import { contractedBy, noWayBackTo } from '../../kube/db-sync-lease.ts';
import { isMigration } from '../plan/phases.ts';
import type { Tool, Work } from '../plan/plan.ts';
import type { RecordRow } from '../record/record.ts';

/**
 * Rejects the migration of an older release on a schema that a newer one has contracted, as after `helm rollback`: its
 * tool may succeed, and the Lease would then report the schema as ready for it. A user's command may run.
 * @param records of the database, the latest first. A restored backup has none of what came after it.
 * @throws UnavailableError
 */
export function requireWayBack(
  records: readonly RecordRow[],
  {
    service,
    release,
    phase,
    isOneWay,
    isCommand,
  }: Pick<Work, 'service' | 'release' | 'phase'> & Pick<Tool, 'isOneWay' | 'isCommand'>,
): void {
  if (isCommand === true || !isMigration(phase)) return;
  const contracted = contractedBy(
    records.filter((row) => row.service === service && isMigration(row.phase)),
    isOneWay,
  );
  if (contracted === undefined || !isOlderRelease(release, contracted)) return;
  throw new UnavailableError(`${phase} of ${service}: ${noWayBackTo(release, contracted, '')}; nothing was run`);
}
