import { becomeCore } from '../src/cli/become-core.ts';
import { run } from '../src/cli/run.ts';
import { dbSyncHelper } from '../src/migrate/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  run(
    dbSyncHelper(() => becomeCore('kolla-db-sync')(argv, env)),
    argv,
    env,
  );
