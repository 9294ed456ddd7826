/**
 * cmd/kubernetes-entrypoint.ts in kolla-core: sockets and files. A variable that needs the API server is delegated to
 * kolla-pod.
 */
import { run } from '../cli/run.ts';
import { entrypointOf } from '../container/init/kubernetes-entrypoint.ts';
import { reapOrphans } from './child-process.ts';
import { becomePod } from './pod.ts';

/** Variables whose values need the API server. */
const ASKING = {
  dependencyService: 'DEPENDENCY_SERVICE',
  dependencyJobs: 'DEPENDENCY_JOBS',
  dependencyJobsJson: 'DEPENDENCY_JOBS_JSON',
  dependencyDaemonset: 'DEPENDENCY_DAEMONSET',
  dependencyContainer: 'DEPENDENCY_CONTAINER',
  dependencyPodJson: 'DEPENDENCY_POD_JSON',
  dependencyCustomResource: 'DEPENDENCY_CUSTOM_RESOURCE',
} as const;

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> => {
  const entrypoint = entrypointOf((options) => {
    // A value of spaces has no effect or is an error.
    const asking = Object.entries(ASKING).find(([key]) => /\S/.test(options[key as keyof typeof ASKING] ?? ''));
    if (asking !== undefined) becomePod(entrypoint.name, argv, env, asking[1]);
  });
  reapOrphans();
  return await run(entrypoint, argv, env);
};
