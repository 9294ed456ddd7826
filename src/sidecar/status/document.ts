/**
 * The schema of /status.json, which the page displays: plain data. An unknown field is null. Times are milliseconds
 * since the epoch. Fields may be added under the same `schema`; removing one, or changing its meaning, makes it 2. No
 * secrets, no file contents, no credentials in URLs.
 */
export const STATUS_SCHEMA = 1;

export interface StatusDocument {
  readonly schema: typeof STATUS_SCHEMA;
  readonly about: About;
  readonly components: readonly ComponentStatus[];
  readonly config: ConfigStatus | null;
  readonly files: readonly FileStatus[];
  readonly refusals: readonly Refusal[];
  readonly waits: readonly WaitStatus[];
  readonly migration: MigrationStatus | null;
  readonly checks: readonly CheckRow[];
  readonly shipping: ShippingStatus | null;
}

/** The summary at the top. */
export interface About {
  readonly version: string;
  readonly pod: string;
  readonly namespace: string | null;
  readonly node: string | null;
  readonly startedAt: number;
  readonly isStopping: boolean;
  /** The results of the three probes. */
  readonly startup: string;
  readonly liveness: string;
  readonly readiness: string;
}

/**
 * `failing`: the component waits for its next attempt. `stuck`: it has failed and does not stop, so it cannot be
 * restarted. `done`: it has nothing left to do.
 */
export type ComponentState = 'starting' | 'running' | 'failing' | 'stuck' | 'done' | 'stopping' | 'stopped';

export interface ComponentStatus {
  readonly name: string;
  readonly state: ComponentState;
  readonly since: number;
  /** Whether later containers of the Pod wait until the component is done. */
  readonly holdsStartup: boolean;
  readonly starts: number;
  readonly failures: number;
  /** The last failure; it is kept while the component runs again. */
  readonly problem: string | null;
  readonly retryAt: number | null;
}

export interface ConfigStatus {
  readonly state: 'starting' | 'in-step' | 'refused' | 'failed' | 'absent';
  /** The beginning of the digest of the installed version. */
  readonly version: string | null;
  /** The kubelet's version of the ConfigMap that is installed: the target of `..data`. */
  readonly configMap: string | null;
  readonly applied: number;
  readonly refused: number;
  readonly failed: number;
  readonly lastChange: number | null;
  /** Why the installed version is not the newest one. */
  readonly problem: string | null;
  /** Actions after a change. */
  readonly actions: ActionsStatus;
}

interface ActionsStatus {
  readonly done: number;
  readonly failed: number;
  readonly pending: string | null;
  readonly problem: string | null;
}

/** One file that the configuration has installed. */
export interface FileStatus {
  /** The path of the file. */
  readonly name: string;
  /** When the file was installed. */
  readonly since: number;
  readonly configMap: string | null;
}

/** A rejected version. The newest comes first. */
export interface Refusal {
  /** The beginning of the version's digest. */
  readonly name: string;
  readonly configMap: string | null;
  readonly at: number;
  readonly reason: string;
}

export interface WaitStatus {
  /** The wait as the user wrote it. */
  readonly name: string;
  readonly isMet: boolean;
  /** The last state. */
  readonly seen: string;
  readonly began: number;
  readonly since: number;
}

export interface MigrationStatus {
  readonly service: string;
  readonly release: string;
  /** The phase that is run here. */
  readonly phase: string;
  /** All phases of the service. */
  readonly phases: readonly string[];
  readonly stage: string;
  readonly since: number;
  /** The stages so far, starting with the oldest. */
  readonly stages: readonly { readonly stage: string; readonly at: number }[];
}

export interface CheckRow {
  readonly name: string;
  /** The check as the user wrote it. */
  readonly subject: string;
  readonly roles: readonly string[];
  readonly state: 'unknown' | 'healthy' | 'unhealthy' | 'unseen';
  readonly reason: string | null;
  readonly since: number;
  readonly answeredAt: number | null;
  readonly lastMs: number | null;
  readonly asked: number;
  readonly failed: number;
}

export interface ShippingStatus {
  readonly to: string;
  readonly files: number;
  /** Number of unacknowledged bytes in files. */
  readonly lagBytes: number;
  /** The rate over the last seconds. */
  readonly linesPerSecond: number;
  readonly acknowledged: number;
  readonly already: number;
  readonly rejected: number;
  readonly retried: number;
  readonly lostBytes: number;
  /** Why the server does not accept writes. */
  readonly held: string | null;
  readonly heldSince: number | null;
  /** Samples, starting with the oldest, one each `sampleMs`. */
  readonly sampleMs: number;
  readonly lag: readonly number[];
  readonly rate: readonly number[];
}
