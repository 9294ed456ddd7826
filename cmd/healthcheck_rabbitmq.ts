import { rabbitmqQuestion } from '../src/probe/kolla/rabbitmq.ts';
import { runKolla } from '../src/probe/kolla/run.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runKolla('healthcheck_rabbitmq', rabbitmqQuestion, argv, env);
