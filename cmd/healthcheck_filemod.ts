import { filemodQuestion } from '../src/probe/kolla/filemod.ts';
import { runKolla } from '../src/probe/kolla/run.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runKolla('healthcheck_filemod', filemodQuestion, argv, env);
