import type { Context, Input } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import { listenAddress } from '../../net/dial/address.ts';
import { dbSyncHelper, type SYNC_OPTIONS } from '../../migrate/index.ts';

/** kolla-db-sync; with --stay, a sidecar with one component. */
export const dbSync = dbSyncHelper(stay);

async function stay(input: Input<typeof SYNC_OPTIONS>, context: Context): Promise<ExitCode> {
  // Loaded lazily: the migration of a Job does not need it.
  const { runAlone } = await import('../alone.ts');
  const { stayingMigration } = await import('../components/db-sync.ts');
  const listen = listenAddress(input.options.listen);
  // The page shows only names and stages, and the public paths report the stage as well.
  const at = { listen, statusPublic: false, hostNetwork: false };
  return await runAlone(await stayingMigration(input, context), 'stay', at, context);
}
