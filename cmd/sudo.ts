import { runSudo } from '../src/container/sudo/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => runSudo(argv, env);
