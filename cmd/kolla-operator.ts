import { run } from '../src/cli/run.ts';
import { operator } from '../src/operator/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(operator, argv, env);
