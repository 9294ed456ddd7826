import { run } from '../src/cli/run.ts';
import { init } from '../src/container/init/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(init, argv, env);
