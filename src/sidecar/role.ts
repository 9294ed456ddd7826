import type { Context } from '../cli/command.ts';
import type { Routes } from '../net/http/router.ts';
import type { Family } from '../net/prometheus.ts';
import type { Part } from '../probe/serve/index.ts';
import type { RoleName, SidecarOptions } from './options.ts';
import type { Sources } from './status/look.ts';
import type { ExitCode } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Backoff } from '../core/backoff.ts';

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

/** For roles that cost nothing to restart. */
export const QUICK_BACKOFF: Backoff = { minMs: 1000, maxMs: 60_000 };

/** What a role is made of. */
export interface Making {
  readonly options: SidecarOptions;
  readonly context: Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile' | 'stdout'>;
}

/** A role whose options and files make sense, and what it tells about itself. */
export interface PreparedRole {
  readonly role: Role;
  readonly sources: Partial<Sources>;
  /** What it says to probes beside its state; asked at each request. */
  readonly parts?: () => readonly Part[];
  /** Paths that it answers itself, instead of the sidecar. */
  readonly routes?: Routes;
  /** What it shows to Prometheus. */
  readonly families?: () => readonly Family[];
  /** Needs more than its options to begin: throws a ConfigError where it must not. */
  readonly requireSafe?: (at: SafeAt) => Promise<void>;
}

interface SafeAt {
  readonly port: number;
  /** Whether a check decides startup probes too. */
  readonly hasStartupChecks: boolean;
  /** How long the roles that are stopped after this one may take, in milliseconds. */
  readonly laterStopMs: number;
}
