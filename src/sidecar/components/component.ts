import type { Context } from '../../cli/command.ts';
import type { Routes } from '../../net/http/router.ts';
import type { Family } from '../../net/prometheus.ts';
import type { Part } from '../../probe/serve/index.ts';
import type { ComponentName, SidecarOptions } from '../options/options.ts';
import type { Sources } from '../status/look.ts';
import type { ExitCode } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Backoff } from '../../core/backoff.ts';

/**
 * Shutdown order: each group stops after the previous one has ended. Configuration first, so that nothing changes under
 * a terminating service; log shipping last, so that the others' final lines are shipped too. The checks run to the very
 * end.
 */
export const STOP_ORDER: readonly (readonly ComponentName[])[] = [
  ['config-watch'],
  ['waits', 'db-sync'],
  ['log-ship'],
  ['probe'],
];

/** What one attempt of a component receives. */
export interface ComponentRun {
  /** The attempt's own signal. A stop aborts it with a SignalError, and a failed callback with its error. */
  readonly signal: AbortSignal;
  /** A log whose lines all have the field `component`. */
  readonly log: Log;
}

/** Resident work of a helper, validated but not started. */
export interface Component {
  readonly name: ComponentName;
  /** Whether later containers of the Pod must not start before the component is done. */
  readonly holdsStartup: boolean;
  /** Time that the component may take to stop, in milliseconds. */
  readonly stopMs: number;
  readonly backoff: Backoff;
  /** Resolves with 0 if there is nothing left to do. After any other result, a failure, the component is restarted. */
  run(run: ComponentRun): Promise<ExitCode>;
}

/** Backoff of components that are fast to restart. */
export const QUICK_BACKOFF: Backoff = { minMs: 1000, maxMs: 60_000 };

/** What the constructor of a component receives. */
export interface Making {
  readonly options: SidecarOptions;
  readonly context: Pick<Context, 'signal' | 'log' | 'inherited' | 'podFile' | 'stdout' | 'commonWords'>;
}

/** A component with valid options and files, and its state. */
export interface PreparedComponent {
  readonly component: Component;
  readonly sources: Partial<Sources>;
  /** The component's additional parts for probes, evaluated on each request. */
  readonly parts?: () => readonly Part[];
  /** Paths that the component serves itself, instead of the sidecar. */
  readonly routes?: Routes;
  /** The component's metrics for Prometheus. */
  readonly families?: () => readonly Family[];
  /** Checks requirements other than options. Throws a ConfigError if the component must not start. */
  readonly requireSafe?: (at: SafeAt) => Promise<void>;
}

interface SafeAt {
  readonly port: number;
  /** Whether a check affects startup probes too. */
  readonly hasStartupChecks: boolean;
  /** Time for the components that stop after this one, in milliseconds. */
  readonly laterStopMs: number;
}
