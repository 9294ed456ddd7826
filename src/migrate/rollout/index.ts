/**
 * Waits until no replica of an older release is left, for phases that would break it.
 *
 *   --after-rollout -> workloads (kinds) -> each watched with its Pods (watch) -> judged (pods)
 *     -> a line per change, all that remain every 30 s -> all gone at the same time: the lock may be requested
 *     -> with the lock, one more check: a rollback may have started meanwhile
 *
 * A missing workload is waited for. Errors: no connection to the API server for the last check (69), a wait that timed
 * out (75, with the names of the remaining Pods), and an insufficient Role (77, with a sufficient one).
 */
import type { Log } from '../../core/log.ts';
import type { LazyKube } from '../../kube/source.ts';
import type { Phase } from '../../catalog/index.ts';
import { isAfterRollout } from '../options/rollout.ts';
import type { NamedWorkload } from '../../kube/rollout-kinds.ts';
import { awaitRollouts, lookAtRollouts, type RolloutContext } from './wait.ts';

/** Prevents a phase from starting while replicas of an older release are left. */
export interface RolloutGate {
  /** Resolves when none is left, before the lock is requested. Rejects like awaitRollouts(). */
  wait(context: Omit<RolloutContext, 'kube'>): Promise<void>;
  /** One check while the lock is held: what is left. Rejects like lookAtRollouts(). */
  look(context: Omit<RolloutContext, 'kube'>): Promise<string | undefined>;
}

interface GateOptions {
  readonly workloads: readonly NamedWorkload[];
  readonly phase: Phase;
  readonly release: string;
  readonly rolloutTimeout: number;
}

/**
 * The gate for the workloads of --after-rollout; undefined if there are none. Without workloads, logs a warning in a
 * cluster if the phase would break old replicas.
 * @throws ConfigError if credentials are unreadable
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
