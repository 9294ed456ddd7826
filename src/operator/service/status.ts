import { defined } from '../../core/defined.ts';
import { conditionOf, withVerdicts, type ConditionUpdate } from '../api/conditions.ts';
import { conflictVerdict, NO_CONFLICT } from '../helm/conflict.ts';
import type { Release } from '../helm/release.ts';
import type { MigrationStatus, OpenStackService, ServicePhase, ServiceStatus } from '../api/objects.ts';
import type { WorkloadsState } from './workloads.ts';

/** What is known about a service after an observation or a step. */
export interface Findings {
  readonly phase: ServicePhase;
  /** One line for a table. */
  readonly message: string;
  readonly ready: ConditionUpdate;
  readonly progressing: ConditionUpdate;
  /** Undefined if nothing new is known: a step that is running neither repairs nor breaks anything yet. */
  readonly degraded?: ConditionUpdate;
  /** Whether others have written fields of Helm's; undefined if nothing new is known. */
  readonly conflict?: ConditionUpdate | undefined;
  readonly helm?: Release | undefined;
  readonly workloads?: WorkloadsState | undefined;
  /** The OpenStack release, if the release is what is wanted. */
  readonly release?: string | undefined;
  readonly migrations?: readonly MigrationStatus[] | undefined;
}

/** Helm's description of a failed hook contains Kubernetes' own messages; a table shows only its beginning. */
const LINE_MAX_CHARACTERS = 200;

/** The status after these findings. What they don't contain stays. */
export function statusAfter(
  before: ServiceStatus = {},
  { metadata: { generation } }: OpenStackService,
  { phase, message, ready, progressing, degraded: bad, conflict, helm, workloads, release, migrations }: Findings,
  now: Date,
): ServiceStatus {
  const verdicts = {
    Ready: ready,
    Progressing: progressing,
    ...defined({ Degraded: bad, Conflict: conflict }),
  };
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return {
    ...before,
    observedGeneration: generation,
    phase,
    message: line.length > LINE_MAX_CHARACTERS ? `${line.slice(0, LINE_MAX_CHARACTERS - 3)}...` : line,
    conditions: withVerdicts(before.conditions, verdicts, generation, now),
    ...(helm === undefined ? {} : { helm: helmStatus(helm) }),
    ...(workloads === undefined
      ? {}
      : {
          workloads: { ready: workloads.ready, total: workloads.total },
          failedJobs: workloads.failed.map(({ job }) => job),
          heldJobs: workloads.held,
        }),
    ...defined({ release, migrations }),
  };
}

function helmStatus({ revision, status, chart, updated }: Release): NonNullable<ServiceStatus['helm']> {
  return {
    revision,
    status,
    chart: `${chart.name}-${chart.version}`,
    updated: updated.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
}

const NO = (reason: string, message: string): ConditionUpdate => ({ status: 'False', reason, message });
const YES = (reason: string, message: string): ConditionUpdate => ({ status: 'True', reason, message });

/** Phase and reason of a step. */
export const PHASE_OF = {
  install: ['Installing', 'Installing'],
  upgrade: ['Upgrading', 'Upgrading'],
  'roll back': ['RollingBack', 'RollingBack'],
} as const;

/** The condition `Degraded` of what is not. */
export const FINE = NO('AsExpected', 'no step has failed');

/** A step is running, or something is waited for. */
export function inProgress(phase: ServicePhase, reason: string, message: string): Findings {
  return { phase, message, ready: NO(reason, message), progressing: YES(reason, message) };
}

/** Only observed, although the release is not what the object describes. */
export const SUSPENDED = inProgress(
  'Suspended',
  'Suspended',
  'spec.suspend is true here or in its OpenStack, or that was deleted; the release is not what the object describes',
);

/** A step has failed; the message is the field's or Helm's. */
export function degraded(reason: string, message: string): Findings {
  const conflict = conflictVerdict(message);
  return {
    phase: 'Degraded',
    // Helm's own text begins with what is no help.
    message: conflict?.message ?? message,
    conflict,
    ready: NO(reason, message),
    progressing: NO(reason, message),
    degraded: YES(reason, message),
  };
}

/** The release is what is wanted, and its workloads are in this state. */
export function observed(
  helm: Release,
  workloads: WorkloadsState,
  release: string | undefined,
  problem?: string,
): Findings {
  const { pending, failed, missing } = workloads;
  const parts = { helm, workloads, release, conflict: NO_CONFLICT };
  if (failed.length > 0) {
    const message = failed.map(({ job, why }) => `job/${job}: ${why}`).join('; ');
    return { ...degraded('JobFailed', `${message}; delete the Job to run it again`), ...parts };
  }
  if (problem !== undefined) return { ...degraded('PodsFailing', problem), ...parts };
  if (pending.length + missing.length > 0) {
    const message = [...pending, ...missing.map((what) => `${what}: does not exist`)].join('; ');
    return { ...inProgress('RollingOut', 'RollingOut', message), degraded: FINE, ...parts };
  }
  const held =
    workloads.held.length === 0 ? '' : `; suspended until upgrade.pauseBefore is removed: ${workloads.held.join(', ')}`;
  const message = `${workloads.ready} of ${workloads.total} workloads are ready${held}`;
  return {
    phase: 'Ready',
    message: held.slice(2),
    ready: YES('Ready', message),
    progressing: NO('Complete', message),
    degraded: FINE,
    ...parts,
  };
}

/** Whether all workloads are rolled out and all Jobs complete, or suspended by the chart. */
export function isReady({ pending, failed, missing }: WorkloadsState): boolean {
  return pending.length + failed.length + missing.length === 0;
}

/** Whether the service was ready at this revision before. */
export function isReadyAlready(
  status: ServiceStatus | undefined,
  { metadata }: OpenStackService,
  { revision }: Release,
): boolean {
  const { conditions, observedGeneration, helm } = status ?? {};
  const isTrue = conditionOf(conditions, 'Ready')?.status === 'True';
  return isTrue && observedGeneration === metadata.generation && helm?.revision === revision;
}
