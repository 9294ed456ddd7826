import { run } from '../src/cli/run.ts';
import { kollaStart } from '../src/container/init/kolla-start.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(kollaStart, argv, env);
