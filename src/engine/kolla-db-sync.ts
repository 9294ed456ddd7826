/**
 * `kolla-db-sync --stay` in kolla-core, which kolla-pod executes for it: a sidecar with one component. All else of
 * kolla-db-sync is kolla-pod's.
 */
import { command, type Context, type Input } from '../cli/command.ts';
import { run } from '../cli/run.ts';
import type { ExitCode } from '../core/errors.ts';
import { DB_SYNC, SYNC } from '../migrate/options/main.ts';
import type { SYNC_OPTIONS } from '../migrate/options/options.ts';
import { listenAddress } from '../net/dial/address.ts';
import { runAlone } from '../sidecar/alone.ts';
import { stayingMigration } from '../sidecar/components/db-sync.ts';
import { reapOrphans } from './child-process.ts';
import { migrateInPod } from './migrate-in-pod.ts';

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> => {
  reapOrphans();
  return await run({ ...DB_SYNC, main: command({ ...SYNC, run: stay }) }, argv, env);
};

async function stay(input: Input<typeof SYNC_OPTIONS>, context: Context): Promise<ExitCode> {
  const listen = listenAddress(input.options.listen);
  // The page shows only names and stages, and the public paths report the stage as well.
  const at = { listen, statusPublic: false, hostNetwork: false };
  const prepared = await stayingMigration(input, context, migrateInPod(`'${DB_SYNC.name} --stay'`));
  return await runAlone(prepared, 'stay', at, context);
}
