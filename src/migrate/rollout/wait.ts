import { formatDuration } from '../../core/duration.ts';
import { DeadlineError, NotPermittedError, UnavailableError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { rolesFor, rolesYaml } from '../../kube/rbac.ts';
import { subjectOf, userIn } from '../../kube/role.ts';
import type { KubeClient } from '../../kube/types.ts';
import { rolloutGrants } from './grants.ts';
import type { NamedWorkload } from '../../kube/rollout-kinds.ts';
import { judgeRemains, type Remains } from './pods.ts';
import { watchWorkload, type Sight } from './watch.ts';

/** The rollouts to wait for. */
interface Rollouts {
  readonly workloads: readonly NamedWorkload[];
  /** The release that the workloads must have rolled out. */
  readonly release: string;
  readonly timeoutMs: number;
}

export interface RolloutContext {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const SUMMARY_MS = 30_000;
/** Maximum time for the check under the lock, because no other migrator can run meanwhile. */
const LOOK_MS = 60_000;
const UNSEEN: Remains = { isGone: false, state: 'not seen yet' };

/**
 * Resolves when no replica of an older release is left of any workload, all at the same time.
 * @throws DeadlineError with what is left; NotPermittedError with the Role to apply; the signal's reason
 */
export async function awaitRollouts(
  { workloads, release, timeoutMs }: Rollouts,
  { kube, signal, log }: RolloutContext,
): Promise<void> {
  const began = performance.now();
  const seen = new Map(workloads.map(({ text }) => [text, UNSEEN]));
  const open = () => [...seen].filter(([, { isGone }]) => !isGone).map(([text, { state }]) => `${text} (${state})`);
  const summary = setInterval(() => log.info(`still waiting for the rollout of ${open().join(', ')}`), SUMMARY_MS);
  const deadline = AbortSignal.timeout(timeoutMs);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, deadline, over.signal]);
  const follow = async (workload: NamedWorkload) => {
    const { text, kind } = workload;
    for await (const sight of watchWorkload(workload, { kube, signal: stop, warn: (message) => log.warn(message) })) {
      const remains = remainsOf(workload, sight, release, kube);
      if (remains.state !== seen.get(text)?.state)
        log.info(`${remains.isGone ? 'rolled out' : 'waiting for the rollout of'} ${text}: ${remains.state}`);
      seen.set(text, remains);
      if (open().length === 0) return over.abort();
    }
    throw new Error(`the watch of ${kind.kind} ended`);
  };
  try {
    const results = await Promise.allSettled(
      workloads.map((workload) =>
        follow(workload).catch((error: unknown) => {
          if (stop.aborted) return;
          over.abort();
          throw error;
        }),
      ),
    );
    signal.throwIfAborted();
    for (const result of results) if (result.status === 'rejected') throw explained(result.reason, workloads, kube);
    if (open().length > 0)
      throw new DeadlineError(`not rolled out in ${formatDuration(timeoutMs)}: ${open().join(', ')}`);
    log.info(`no replica of an older release is left, after ${formatDuration(performance.now() - began)}`);
  } finally {
    clearInterval(summary);
  }
}

/**
 * One check: what is left of an older release, for users; undefined if nothing.
 * @throws UnavailableError if the state was unknown for a minute; NotPermittedError with the Role to apply; the
 * signal's reason
 */
export async function lookAtRollouts(
  { workloads, release }: Rollouts,
  { kube, signal, log }: RolloutContext,
): Promise<string | undefined> {
  const deadline = AbortSignal.timeout(LOOK_MS);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, deadline, over.signal]);
  const look = async (workload: NamedWorkload): Promise<readonly string[]> => {
    let why = UNSEEN.state;
    try {
      for await (const sight of watchWorkload(workload, {
        kube,
        signal: stop,
        warn: (message) => log.debug(message),
      })) {
        const { isGone, state } = remainsOf(workload, sight, release, kube);
        if (sight.is !== 'unknown') return isGone ? [] : [`${workload.text} (${state})`];
        why = state;
      }
    } catch (error) {
      if (!deadline.aborted || signal.aborted) throw error;
    }
    throw new UnavailableError(`could not re-read ${workload.text} in ${LOOK_MS / 1000} s: ${why}`);
  };
  try {
    const left = (await Promise.all(workloads.map(look))).flat();
    return left.length === 0 ? undefined : left.join(', ');
  } catch (error) {
    signal.throwIfAborted();
    throw explained(error, workloads, kube);
  } finally {
    over.abort();
  }
}

function remainsOf({ kind, namespace }: NamedWorkload, sight: Sight, release: string, kube: KubeClient): Remains {
  switch (sight.is) {
    case 'unknown':
      return { isGone: false, state: sight.why };
    case 'absent':
      return { isGone: false, state: `no such ${kind.kind} in namespace ${namespace ?? kube.namespace} yet` };
    case 'there':
      return judgeRemains(kind, sight, release);
  }
}

/**
 * Names a Role for the whole wait, because one that covers only the first denied request would lead to the next denial.
 */
function explained(error: unknown, workloads: readonly NamedWorkload[], kube: KubeClient): unknown {
  if (!(error instanceof NotPermittedError)) return error;
  const refusal = messageOf(error.cause);
  const user = userIn(refusal);
  const names = { role: 'kolla-db-sync-rollout', clusterRole: 'kolla-db-sync-rollout' };
  const role = rolesYaml(rolesFor(rolloutGrants(workloads, kube.namespace), subjectOf(user), names));
  return new NotPermittedError(
    `${user ?? 'this user'} may not watch the workloads of --after-rollout (${refusal}); apply this with ` +
      `kubectl apply -f -:\n${role}`,
    { cause: error },
  );
}
