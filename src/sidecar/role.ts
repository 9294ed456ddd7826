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
 * Shutdown order: each group stops when the previous one has ended. Configuration first, so that nothing changes under
 * a terminating service; log shipping last, so that the others' final lines are shipped too. The checks run to the very
 * end.
 */
export const STOP_ORDER: readonly (readonly RoleName[])[] = [
  ['config-watch'],
  ['waits', 'db-sync'],
  ['log-ship'],
  ['probe'],
];

/** The context of one attempt of a component. */
export interface RoleRun {
  /** Its own: aborted by a stop with a SignalError, and with the error of a failed callback. */
  readonly signal: AbortSignal;
  /** All its lines have the field `role`. */
  readonly log: Log;
}

/** A helper's resident work, validated but not started. */
export interface Role {
  readonly name: RoleName;
  /** Later containers of the Pod must not start before it is done. */
  readonly holdsStartup: boolean;
  /** Time to stop, in milliseconds. */
  readonly stopMs: number;
  readonly backoff: Backoff;
  /** Resolves with 0 if nothing is left to do. Anything else is a failure, after which it is restarted. */
  run(run: RoleRun): Promise<ExitCode>;
}

/** For components that are cheap to restart. */
export const QUICK_BACKOFF: Backoff = { minMs: 1000, maxMs: 60_000 };

/** Input of a component's constructor. */
export interface Making {
  readonly options: SidecarOptions;
  readonly context: Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile' | 'stdout'>;
}

/** A component with valid options and files, and its state. */
export interface PreparedRole {
  readonly role: Role;
  readonly sources: Partial<Sources>;
  /** Its additional contributions to probes; evaluated on each request. */
  readonly parts?: () => readonly Part[];
  /** Paths that it serves instead of the sidecar. */
  readonly routes?: Routes;
  /** Its Prometheus metrics. */
  readonly families?: () => readonly Family[];
  /** Checks requirements beyond its options: throws a ConfigError if it must not start. */
  readonly requireSafe?: (at: SafeAt) => Promise<void>;
}

interface SafeAt {
  readonly port: number;
  /** Whether a check affects startup probes too. */
  readonly hasStartupChecks: boolean;
  /** Time for the components stopped after this one, in milliseconds. */
  readonly laterStopMs: number;
}
