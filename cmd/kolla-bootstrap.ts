import { run } from '../src/cli/run.ts';
import { bootstrap } from '../src/job/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(bootstrap, argv, env);
