import { createHash } from 'node:crypto';
import type { Live } from '../../cli/live.ts';
import type { Log } from '../../core/log.ts';
import type { Address } from '../../net/dial/address.ts';
import type { DonorPolicy, MysqlTarget } from '../../mysql/index.ts';
import type { Redact } from '../../core/redact.ts';
import type { SchemaCheck, Step } from '../../catalog/index.ts';
import type { EnsureOptions } from '../options/ensure.ts';
import type { Credentials } from '../fence/account.ts';
import type { Versions } from './tables.ts';
import { STOP_MS } from '../child/guarded-child.ts';
import type { LeaseSite } from '../lease/index.ts';
import type { RolloutGate } from '../rollout/index.ts';
import type { OnStage } from './stage.ts';

/** Identifies the work in fence, record and Lease. */
export interface Work {
  readonly service: string;
  readonly release: string;
  readonly phase: string;
  readonly steps: readonly Step[];
  /** Runs even if another process has just done the same. */
  readonly isAlwaysDone?: true;
}

/** The service's databases, and the connection to their server. */
export interface Databases extends Pick<EnsureOptions, 'accountHost'> {
  readonly target: MysqlTarget;
  /** The service's other databases, which are created with the first one. */
  readonly others: readonly MysqlTarget[];
  /** If undefined, database, account and grants are not changed. */
  readonly admin: MysqlTarget | undefined;
  readonly timeoutMs: number;
  readonly galeraDonor: DonorPolicy;
}

/** One of these databases, without an admin account. */
export type Database = Pick<Databases, 'target' | 'timeoutMs' | 'galeraDonor'>;

/** The service's own tool. */
export interface Tool {
  /** The tool's environment, which makes the tool use the same server as we do. */
  readonly childEnv: (at: Address, as?: Credentials) => NodeJS.ProcessEnv;
  /** Undefined if the tool has no check, or if another command runs. */
  readonly check: SchemaCheck | undefined;
  /** Undefined if the steps are not the tool's migration. */
  readonly versions: Versions | undefined;
  /** Whether a phase removes what an older release needs. */
  readonly isOneWay: (phase: string) => boolean;
  /** Whether a command of the user runs instead of the tool; `phase` is then only a name. */
  readonly isCommand?: boolean;
  /** Whether the tool must log in as the migration's own account, which its environment can tell it. */
  readonly injectsAccount?: boolean;
}

/** How the turn is taken, kept and released. */
export interface LockTerms {
  readonly lockTimeoutMs: number;
  /** Lock and fence count as lost if the server has not confirmed them for this long. */
  readonly lossMs: number;
  /**
   * A Lease, and on Galera a fence, is free if its holder has not renewed it for this long. It is longer than lossMs
   * plus the time to stop.
   */
  readonly leaseMs: number;
  /** If undefined, the row in the database is the only lock, and nothing is published. */
  readonly leaseSite?: LeaseSite | undefined;
  /** The token of an interrupted migration that an operator has verified to have ended. */
  readonly predecessorEnded?: number | undefined;
  /** Time from SIGTERM to SIGKILL for a step on shutdown. */
  readonly graceMs: number;
}

/** Work under the lock, without the creation of databases and accounts. */
export type LockedWork = Work & Databases & Tool & LockTerms;

/** Everything that one migration needs. Functions that need less declare less. */
export interface Plan extends EnsureOptions, Work, Databases, Tool, LockTerms {
  /** If undefined, replicas of an older release are not checked for. */
  readonly rollout?: RolloutGate | undefined;
}

export interface Effects {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly redact: Redact;
  readonly onStage?: OnStage | undefined;
  readonly live?: Live | undefined;
  /** Interval between progress reports of a long step; the default is 30 s. */
  readonly progressMs?: number | undefined;
}

/** Time from SIGTERM to SIGKILL: at most half of the time that remains of the lease when the lock counts as lost. */
export function stopMsOf({ leaseMs, lossMs }: LockTerms): number {
  return Math.min(STOP_MS, (leaseMs - lossMs) / 2);
}

/** Equal for the same service, release, phase and command lines. Compared after a wait. */
export function workOf({ service, release, phase, steps }: Work): string {
  const work = JSON.stringify([service, release, phase, steps.map((step) => step.argv)]);
  return createHash('sha256').update(work).digest('hex').slice(0, 16);
}
