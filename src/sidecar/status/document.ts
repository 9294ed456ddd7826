/**
 * The schema of /status.json, which the page displays: plain data. An unknown field is null. Times are milliseconds
 * since the epoch. Fields may be added under the same `schema`; removing one, or changing its meaning, makes it 2. No
 * secrets, no file contents, no credentials in URLs.
 */
export const STATUS_SCHEMA = 1;

export interface StatusDocument {
  readonly schema: typeof STATUS_SCHEMA;
  readonly about: About;
  readonly roles: readonly RoleStatus[];
  readonly config: ConfigStatus | null;
  readonly files: readonly FileStatus[];
  readonly refusals: readonly Refusal[];
  readonly waits: readonly WaitStatus[];
  readonly migration: MigrationStatus | null;
  readonly checks: readonly CheckRow[];
  readonly shipping: ShippingStatus | null;
}

/** Summary. */
export interface About {
  readonly version: string;
  readonly pod: string;
  readonly namespace: string | null;
  readonly node: string | null;
  readonly startedAt: number;
  readonly isStopping: boolean;
  /** Results of the three probes. */
  readonly startup: string;
  readonly liveness: string;
  readonly readiness: string;
}

/**
 * `failing`: waits for its next attempt. `stuck`: has failed and does not stop, so it cannot be restarted. `done`:
 * nothing left to do.
 */
export type RoleState = 'starting' | 'running' | 'failing' | 'stuck' | 'done' | 'stopping' | 'stopped';

export interface RoleStatus {
  readonly name: string;
  readonly state: RoleState;
  readonly since: number;
  /** The containers after this one wait until it is done. */
  readonly holdsStartup: boolean;
  readonly starts: number;
  readonly failures: number;
  /** The last failure, also while it runs again. */
  readonly problem: string | null;
  readonly retryAt: number | null;
}

export interface ConfigStatus {
  readonly state: 'starting' | 'in-step' | 'refused' | 'failed' | 'absent';
  /** The start of the digest of the installed version. */
  readonly version: string | null;
  /** The kubelet's version of the mounted ConfigMap, the target of `..data`, for the installed version. */
  readonly configMap: string | null;
  readonly applied: number;
  readonly refused: number;
  readonly failed: number;
  readonly lastChange: number | null;
  /** Why it is not in step. */
  readonly problem: string | null;
  /** The actions after a change. */
  readonly actions: ActionsStatus;
}

interface ActionsStatus {
  readonly done: number;
  readonly failed: number;
  readonly pending: string | null;
  readonly problem: string | null;
}

/** One installed file of the configuration. */
export interface FileStatus {
  /** Its path. */
  readonly name: string;
  /** When it was installed. */
  readonly since: number;
  readonly configMap: string | null;
}

/** A rejected version, newest first. */
export interface Refusal {
  /** The start of its digest. */
  readonly name: string;
  readonly configMap: string | null;
  readonly at: number;
  readonly reason: string;
}

export interface WaitStatus {
  /** As written by the user. */
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
  /** The phase run here. */
  readonly phase: string;
  /** All phases of the service. */
  readonly phases: readonly string[];
  readonly stage: string;
  readonly since: number;
  /** The stages so far, oldest first. */
  readonly stages: readonly { readonly stage: string; readonly at: number }[];
}

export interface CheckRow {
  readonly name: string;
  /** The check, as written by the user. */
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
  /** Unacknowledged bytes in files. */
  readonly lagBytes: number;
  /** Over the last seconds. */
  readonly linesPerSecond: number;
  readonly acknowledged: number;
  readonly already: number;
  readonly rejected: number;
  readonly retried: number;
  readonly lostBytes: number;
  /** Why the server does not accept writes. */
  readonly held: string | null;
  readonly heldSince: number | null;
  /** Oldest first, one each `sampleMs`. */
  readonly sampleMs: number;
  readonly lag: readonly number[];
  readonly rate: readonly number[];
}
