import { UsageError } from '../../core/errors.ts';
import type { Option, Values } from '../../cli/option.ts';
import type { Phase } from '../../catalog/index.ts';
import { parseWorkload, type NamedWorkload } from '../../kube/rollout-kinds.ts';

export const ROLLOUT_OPTIONS = [
  {
    flag: 'after-rollout',
    type: 'string',
    env: 'KOLLA_DB_SYNC_AFTER_ROLLOUT',
    repeat: true,
    help: 'workload to wait for before the `contract` and `online` phases',
    details:
      'KIND/NAME[@NAMESPACE] of a Deployment, StatefulSet or DaemonSet. The `contract` and `online` phases wait ' +
      'until each has rolled out the release of --release and its last old Pod is gone.',
    example: 'deployment/keystone',
  },
  {
    flag: 'rollout-timeout',
    type: 'duration',
    env: 'KOLLA_DB_SYNC_ROLLOUT_TIMEOUT',
    default: '1h',
    help: 'maximum time to wait for these rollouts',
    example: '2h',
  },
] as const satisfies readonly Option[];

/** Phases that break old replicas. */
const AFTER: ReadonlySet<Phase> = new Set(['contract', 'online']);

/** Whether this phase runs after a rollout. */
export function isAfterRollout(phase: Phase): boolean {
  return AFTER.has(phase);
}

/**
 * The workloads to wait for, without duplicates.
 * @throws UsageError if the phase runs before the rollout, or if no release is given
 */
export function workloadsOf({
  afterRollout,
  phase,
  release,
}: Pick<Values<typeof ROLLOUT_OPTIONS>, 'afterRollout'> & {
  readonly phase: Phase;
  readonly release: string;
}): NamedWorkload[] {
  if (afterRollout.length === 0) return [];
  if (!isAfterRollout(phase)) {
    throw new UsageError(
      phase === 'all'
        ? '--after-rollout: --phase all is for while no replica runs; contract and online come after a rollout'
        : `--after-rollout: --phase ${phase} comes before the rollout, and would wait for it forever`,
    );
  }
  if (release === '') {
    throw new UsageError(
      '--after-rollout: --release must name the release rolled out; otherwise a rollout that has not ' +
        'started looks complete',
    );
  }
  return [...new Map(afterRollout.map((text) => [text, parseWorkload(text, '--after-rollout')])).values()];
}
