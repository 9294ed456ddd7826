import { kollaSocketQuestion } from '../src/probe/kolla/port.ts';
import { runKolla } from '../src/probe/kolla/run.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runKolla('healthcheck_socket', kollaSocketQuestion, argv, env);
