/**
 * What /status.json holds, and what the page draws: plain data, of which this file is the schema. A field that is not known
 * (yet) is null. Moments are milliseconds since 1970. A field may be added under the same `schema`; one that goes, or means
 * another thing, makes it 2. No secret, no content of a file, no credentials in a URL.
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

/** The whole in one line. */
export interface About {
  readonly version: string;
  readonly pod: string;
  readonly namespace: string | null;
  readonly node: string | null;
  readonly startedAt: number;
  readonly isStopping: boolean;
  /** What the three probes are told. */
  readonly startup: string;
  readonly liveness: string;
  readonly readiness: string;
}

/**
 * `failing`: waits for its next try. `stuck`: has failed and does not end, so that it can't be restarted. `done`: nothing
 * left to do.
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
  /** Why it failed last; while it runs again, the failure before. */
  readonly problem: string | null;
  readonly retryAt: number | null;
}

export interface ConfigStatus {
  readonly state: 'starting' | 'in-step' | 'refused' | 'failed' | 'absent';
  /** The beginning of the digest of what is in place. */
  readonly version: string | null;
  /** What the kubelet calls the mounted ConfigMap's version: the target of `..data`. Of what is in place. */
  readonly configMap: string | null;
  readonly applied: number;
  readonly refused: number;
  readonly failed: number;
  readonly lastChange: number | null;
  /** What keeps it from being in step. */
  readonly problem: string | null;
  /** What is done after a change. */
  readonly actions: ActionsStatus;
}

interface ActionsStatus {
  readonly done: number;
  readonly failed: number;
  readonly pending: string | null;
  readonly problem: string | null;
}

/** One file that the configuration asks for, and that is in place. */
export interface FileStatus {
  /** Its path. */
  readonly name: string;
  /** When it was put there. */
  readonly since: number;
  readonly configMap: string | null;
}

/** A version that does not validate, newest first. */
export interface Refusal {
  /** The beginning of its digest. */
  readonly name: string;
  readonly configMap: string | null;
  readonly at: number;
  readonly reason: string;
}

export interface WaitStatus {
  /** As it was written. */
  readonly name: string;
  readonly isMet: boolean;
  /** What was last seen. */
  readonly seen: string;
  readonly began: number;
  readonly since: number;
}

export interface MigrationStatus {
  readonly service: string;
  readonly release: string;
  /** The part of the migration that is done here. */
  readonly phase: string;
  /** All that the service has. */
  readonly phases: readonly string[];
  readonly stage: string;
  readonly since: number;
  /** The stages so far, oldest first. */
  readonly stages: readonly { readonly stage: string; readonly at: number }[];
}

export interface CheckRow {
  readonly name: string;
  /** What is asked. */
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
  /** Bytes in files that are not acknowledged. */
  readonly lagBytes: number;
  /** Of the last seconds. */
  readonly linesPerSecond: number;
  readonly acknowledged: number;
  readonly already: number;
  readonly rejected: number;
  readonly retried: number;
  readonly lostBytes: number;
  /** Why the server takes nothing. */
  readonly held: string | null;
  readonly heldSince: number | null;
  /** Oldest first, one each `sampleMs`. */
  readonly sampleMs: number;
  readonly lag: readonly number[];
  readonly rate: readonly number[];
}
