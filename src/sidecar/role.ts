import type { ExitCode } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Backoff } from '../core/backoff.ts';

/** In the order in which they are begun and shown. */
export const ROLE_NAMES = ['probe', 'config-watch', 'waits', 'db-sync', 'log-ship'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

/**
 * Who is stopped when: each group when the one before has ended. The configuration first, so that nothing changes under a
 * service that ends; lines last, so that those of the others' end are shipped too. The checks are asked to the very end.
 */
export const STOP_ORDER: readonly (readonly RoleName[])[] = [
  ['config-watch'],
  ['waits', 'db-sync'],
  ['log-ship'],
  ['probe'],
];

/** What one try of a role is given. */
export interface RoleRun {
  /** Its own: aborted by a stop with a SignalError, and with what was thrown when a callback of the role's has failed. */
  readonly signal: AbortSignal;
  /** Every line of it has the field `role`. */
  readonly log: Log;
}

/** A helper's resident work, looked over but not yet begun. */
export interface Role {
  readonly name: RoleName;
  /** What comes after it in the pod must not start before it is done. */
  readonly holdsStartup: boolean;
  /** How long its end may take once it was asked for, in milliseconds. */
  readonly stopMs: number;
  readonly backoff: Backoff;
  /** Resolves with 0 when there is nothing left to do. Everything else is a failure, after which it is run again. */
  run(run: RoleRun): Promise<ExitCode>;
}

/** For roles that cost nothing to begin again. */
export const QUICK_BACKOFF: Backoff = { minMs: 1000, maxMs: 60_000 };
