import { run } from '../src/cli/run.ts';
import { bootstrap } from '../src/bootstrap/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(bootstrap, argv, env);
