import { run } from '../src/cli/run.ts';
import { kubernetesEntrypoint } from '../src/container/init/kubernetes-entrypoint.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(kubernetesEntrypoint, argv, env);
