import { run } from '../src/cli/run.ts';
import { sidecar } from '../src/sidecar/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(sidecar, argv, env);
