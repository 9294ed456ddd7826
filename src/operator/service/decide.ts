import type { Backoff } from '../../core/backoff.ts';
import { RELEASES } from '../../catalog/index.ts';
import { conflictsIn } from '../helm/conflict.ts';
import type { Release } from '../helm/release.ts';
import { isSameChart, isWanted, labelOf, type Desired } from './desired.ts';
import type { Failure } from './failures.ts';
import { isScaling } from './scale.ts';

/** The next step of a service. */
export type Step =
  /** The release is what is wanted. */
  | { readonly do: 'observe' }
  | {
      readonly do: 'install' | 'upgrade' | 'roll back';
      readonly why: string;
      /** The Jobs before an upgrade are not needed, or, going back, would run on a newer schema. */
      readonly withoutHooks?: boolean;
    }
  /** An operation was interrupted; afterwards the next step is decided anew. */
  | { readonly do: 'unlock' }
  | {
      readonly do: 'wait';
      readonly reason: 'AnotherOperation' | 'ObjectsDeleted';
      readonly why: string;
      readonly requeueAfterMs: number | undefined;
    }
  /** The last attempt has failed; the next one is due later, or after a change. */
  | (Failure & { readonly do: 'retry later'; readonly requeueAfterMs: number });

export interface Facts {
  readonly newest: Release | undefined;
  /** OpenStack releases of the deployed revision and of later ones; and that observed last, as an adopted revision has none. */
  readonly attempted: readonly (string | undefined)[];
  /** Number of revisions at the end of the history that have failed. */
  readonly failures: number;
  /** Objects of the manifest that were deleted, and failed Jobs that were deleted to be run again. */
  readonly missing: readonly string[];
  readonly timeoutMs: number;
  /** Of the newest revision. */
  readonly ageMs: number;
}

const RETRY: Backoff = { minMs: 5000, maxMs: 15 * 60_000 };
/** Time after which another user's operation that has exceeded Helm's own timeout counts as interrupted. */
const FOREIGN_GRACE_MS = 5 * 60_000;
/** Objects that someone deletes again and again must not make Helm run all the time. */
const RECREATE_MS = 60_000;

/** The step that follows from Helm's own records, and nothing else: it is the same after a restart. */
export function decide(desired: Desired, facts: Facts): Step {
  const { newest, failures, missing, ageMs } = facts;
  if (newest === undefined || newest.status === 'uninstalled') return { do: 'install', why: 'not installed' };
  const { status, revision, description } = newest;
  // Ended by Helm itself, after SIGTERM; a Helm that was killed has left it pending.
  if (status === 'failed' && revision === 1 && isInterrupted(description)) return { do: 'unlock' };
  if (status.startsWith('pending-')) {
    // We hold the Lease, so the operator that has started it is gone, and Helm with it.
    if (labelOf(newest, 'process') !== undefined) return { do: 'unlock' };
    const leftMs = facts.timeoutMs + FOREIGN_GRACE_MS - ageMs;
    if (leftMs <= 0) return { do: 'unlock' };
    const why = `revision ${revision} is ${status}: another user's Helm is at work`;
    return { do: 'wait', reason: 'AnotherOperation', why, requeueAfterMs: leftMs };
  }
  if (status === 'uninstalling') {
    const why = `revision ${revision} is uninstalling`;
    return { do: 'wait', reason: 'AnotherOperation', why, requeueAfterMs: undefined };
  }
  const change = isDown(desired, facts.attempted) ? 'roll back' : 'upgrade';
  const withoutHooks = change === 'roll back';
  if (!isWanted(newest, desired)) {
    if (status === 'deployed' && isSameChart(newest, desired) && isScaling(newest.values, desired.values))
      return { do: change, why: `revision ${revision} has other replicas or held Jobs`, withoutHooks: true };
    return { do: change, why: `revision ${revision} has another chart or other values`, withoutHooks };
  }
  if (status === 'failed') {
    const leftMs = RETRY.minMs * Math.min(2 ** (failures - 1), RETRY.maxMs / RETRY.minMs) - ageMs;
    // Interrupted attempts are no failures of the chart; and a conflict ends when Helm may take the field.
    if (leftMs <= 0 || isInterrupted(description) || isNowForced(newest, desired))
      return { do: change, why: `revision ${revision} has failed`, withoutHooks };
    return { do: 'retry later', reason: 'HelmFailed', why: description, requeueAfterMs: leftMs };
  }
  if (status !== 'deployed') return { do: change, why: `revision ${revision} is ${status}`, withoutHooks };
  if (missing.length === 0) return { do: 'observe' };
  const why = `deleted: ${missing.join(', ')}`;
  if (ageMs < RECREATE_MS) return { do: 'wait', reason: 'ObjectsDeleted', why, requeueAfterMs: RECREATE_MS - ageMs };
  return { do: change, why, withoutHooks };
}

/** Whether the failed attempt had a conflict, and was made before it might take over fields. */
function isNowForced(newest: Release, { digest, forceConflicts }: Desired): boolean {
  return forceConflicts && labelOf(newest, 'desired') !== digest && conflictsIn(newest.description).length > 0;
}

/** By unlock(), or by Helm after SIGTERM. */
function isInterrupted(description: string): boolean {
  return description.startsWith('interrupted while ') || description.endsWith('context canceled');
}

/** Whether a newer OpenStack release was begun: its schema does not go back, so that the Jobs must not run. */
function isDown({ release }: Desired, attempted: Facts['attempted']): boolean {
  const index = (name: string | undefined) => (RELEASES as readonly (string | undefined)[]).indexOf(name);
  return index(release) !== -1 && attempted.some((one) => index(one) > index(release));
}
