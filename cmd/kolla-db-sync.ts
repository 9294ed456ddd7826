import { run } from '../src/cli/run.ts';
import { dbSync } from '../src/dbsync/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(dbSync, argv, env);
