import { runSudo } from '../src/start/sudo/index.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => runSudo(argv, env);
