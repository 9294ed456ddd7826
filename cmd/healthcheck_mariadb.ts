import { mariadbQuestion } from '../src/probe/kolla/mariadb.ts';
import { runKolla } from '../src/probe/kolla/run.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runKolla('healthcheck_mariadb', mariadbQuestion, argv, env);
