/** cmd/kubernetes-entrypoint.ts in kolla-core. A login that needs kolla-pod is delegated to it. */
import { run } from '../cli/run.ts';
import { entrypointOf } from '../container/init/kubernetes-entrypoint.ts';
import { reapOrphans } from './child-process.ts';
import { podLogin } from './kube-logins.ts';
import { becomePod } from './pod.ts';

/** Variables whose values need the API server. */
const ASKING = [
  'dependencyService',
  'dependencyJobs',
  'dependencyJobsJson',
  'dependencyDaemonset',
  'dependencyContainer',
  'dependencyPodJson',
  'dependencyCustomResource',
] as const;

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> => {
  const entrypoint = entrypointOf((options) => {
    // A value of spaces has no effect or is an error.
    if (!ASKING.some((key) => /\S/.test(options[key] ?? ''))) return;
    const login = podLogin(options.kubeconfig, env);
    if (login !== undefined) becomePod(entrypoint.name, argv, env, login);
  });
  reapOrphans();
  return await run(entrypoint, argv, env);
};
