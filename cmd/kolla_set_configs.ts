import { runSetConfigs } from '../src/config/set-configs/helper.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => runSetConfigs(argv, env);
