import { run } from '../src/cli/run.ts';
import { dbSync } from '../src/sidecar/helpers/db-sync.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(dbSync, argv, env);
