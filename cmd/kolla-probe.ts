import { run } from '../src/cli/run.ts';
import { probe } from '../src/probe/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(probe, argv, env);
