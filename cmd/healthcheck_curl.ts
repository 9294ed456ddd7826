import { curlQuestion } from '../src/probe/kolla/curl/index.ts';
import { runKolla } from '../src/probe/kolla/run.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runKolla('healthcheck_curl', curlQuestion, argv, env);
