import { run } from '../src/cli/run.ts';
import { pod } from '../src/toolbox/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(pod, argv, env);
