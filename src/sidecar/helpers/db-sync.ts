import type { Context, Input } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import { listenAddress } from '../../net/address.ts';
import { dbSyncHelper, type SYNC_OPTIONS } from '../../migrate/index.ts';

/** kolla-db-sync, which with --stay is a sidecar of its one component. */
export const dbSync = dbSyncHelper(stay);

async function stay(input: Input<typeof SYNC_OPTIONS>, context: Context): Promise<ExitCode> {
  // Lazy: a Job's migration needs none of it.
  const { runAlone } = await import('../alone.ts');
  const { stayingMigration } = await import('../roles/db-sync.ts');
  const listen = listenAddress('--listen', input.options.listen);
  // Names and stages are all that the page has here, and the public paths say the stage as well.
  const at = { listen, statusPublic: false, hostNetwork: false };
  return await runAlone(await stayingMigration(input, context), 'stay', at, context);
}
