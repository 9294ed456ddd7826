/**
 * Waiting until no replica of an older release is left, for the phases that would break one.
 *
 *   --after-rollout -> workloads (kinds) -> each watched with its Pods (watch) -> judged (pods)
 *     -> a line at each change, all that is missing each 30 s -> all gone at the same time: the lock may be asked for
 *     -> with the lock, one look more: a rollback may have begun meanwhile
 *
 * A workload that is not there is waited for. What can fail: no way to the API server when it is time to look once more
 * (69), a wait without end (75, with the names of the Pods that are left), and a Role that is too small (77, with the one
 * that is enough).
 */
import type { Log } from '../../core/log.ts';
import type { LazyKube } from '../../kube/source.ts';
import type { Phase } from '../../catalog/index.ts';
import { isAfterRollout } from './options.ts';
import type { NamedWorkload } from './kinds.ts';
import { awaitRollouts, lookAtRollouts, type RolloutContext } from './wait.ts';

/** What keeps a phase from starting while replicas of an older release are left. */
export interface RolloutGate {
  /** Resolves when none is left: before the lock is asked for. Rejects as awaitRollouts() does. */
  wait(context: Omit<RolloutContext, 'kube'>): Promise<void>;
  /** One look, with the lock held: what is left. Rejects as lookAtRollouts() does. */
  look(context: Omit<RolloutContext, 'kube'>): Promise<string | undefined>;
}

interface GateOptions {
  readonly workloads: readonly NamedWorkload[];
  readonly phase: Phase;
  readonly release: string;
  readonly rolloutTimeout: number;
}

/**
 * The gate for what --after-rollout names. Undefined where it names nothing, with a warning where a phase that would break
 * old replicas runs in a cluster: then it is not checked.
 * @throws ConfigError where the credentials can't be read
 */
export async function rolloutGate(
  { workloads, phase, release, rolloutTimeout: timeoutMs }: GateOptions,
  kube: LazyKube | undefined,
  { inherited, log }: { readonly inherited: NodeJS.ProcessEnv; readonly log: Log },
): Promise<RolloutGate | undefined> {
  if (workloads.length === 0 || kube === undefined) {
    const isInCluster = kube !== undefined || inherited['KUBERNETES_SERVICE_HOST'] !== undefined;
    if (isInCluster && isAfterRollout(phase))
      log.warn(`no --after-rollout: not checked whether old replicas are left that ${phase} would break`);
    return undefined;
  }
  const rollouts = { workloads, release, timeoutMs };
  const client = await kube.get();
  return {
    wait: (context) => awaitRollouts(rollouts, { ...context, kube: client }),
    look: (context) => lookAtRollouts(rollouts, { ...context, kube: client }),
  };
}
