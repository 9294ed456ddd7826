import { createHash } from 'node:crypto';
import type { Live } from '../cli/live.ts';
import type { Log } from '../core/log.ts';
import type { Address } from '../net/address.ts';
import type { DonorPolicy, MysqlTarget } from '../mysql/index.ts';
import type { Redact } from '../core/redact.ts';
import type { SchemaCheck, Step } from '../catalog/index.ts';
import type { EnsureOptions } from './ensure/options.ts';
import type { Credentials } from './fencing/account.ts';
import { STOP_MS } from './steps/guarded-child.ts';
import type { LeaseSite } from './lease/index.ts';
import type { RolloutGate } from './rollout/index.ts';
import type { OnStage } from './stage.ts';

/** Which work it is, as fence, record and Lease tell of it. */
export interface Work {
  readonly service: string;
  readonly release: string;
  readonly phase: string;
  readonly steps: readonly Step[];
  /** It is done also where the same has just been done by another. */
  readonly isAlwaysDone?: true;
}

/** The service's databases, and how their server is reached. */
export interface Databases extends Pick<EnsureOptions, 'accountHost'> {
  readonly target: MysqlTarget;
  /** The service's other databases, to be made with the first one. */
  readonly others: readonly MysqlTarget[];
  /** Undefined: database, account and grants are left alone. */
  readonly admin: MysqlTarget | undefined;
  readonly timeoutMs: number;
  readonly galeraDonor: DonorPolicy;
}

/** One database of them, without an admin. */
export type Database = Pick<Databases, 'target' | 'timeoutMs' | 'galeraDonor'>;

/** The service's own tool. */
export interface Tool {
  /** Its environment: it is to use the same server as we do. */
  readonly childEnv: (at: Address, as?: Credentials) => NodeJS.ProcessEnv;
  /** Undefined where it has none, or another command is run. */
  readonly check: SchemaCheck | undefined;
  /** Whether its environment can tell it to log in as another account, and is to. */
  readonly tellsAccount?: boolean;
}

/** How the turn is taken, kept and given up. */
export interface LockTerms {
  readonly lockTimeoutMs: number;
  /** Lock and fence count as lost when the server has not confirmed them for this long. */
  readonly lossMs: number;
  /** A Lease, and on Galera a fence, that its holder has not renewed for this long is free. Longer than lossMs and stopping takes. */
  readonly leaseMs: number;
  /** Undefined: the row in the database is the only lock, and nothing is published. */
  readonly leaseSite?: LeaseSite | undefined;
  /** The token of a migration that was cut off, whose end an operator has made sure of. */
  readonly predecessorEnded?: number | undefined;
  /** What a step has, once it is told to end, before it is killed. */
  readonly graceMs: number;
}

/** What is run under the lock: nothing of how databases and accounts are made. */
export type LockedWork = Work & Databases & Tool & LockTerms;

/** Everything that one migration needs to know. What needs less of it says so. */
export interface Plan extends EnsureOptions, Work, Databases, Tool, LockTerms {
  /** Undefined: it is not checked whether replicas of an older release are left. */
  readonly rollout?: RolloutGate | undefined;
}

export interface Effects {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly redact: Redact;
  readonly onStage?: OnStage | undefined;
  readonly live?: Live | undefined;
  /** How often a step that takes long is told of; 30 s unless said. */
  readonly progressMs?: number | undefined;
}

/** From SIGTERM to SIGKILL: half of what is left of the lease when it counts as lost. */
export function stopMsOf({ leaseMs, lossMs }: LockTerms): number {
  return Math.min(STOP_MS, (leaseMs - lossMs) / 2);
}

/** Equal for the same service, release, phase and command lines: what one that waited compares. */
export function workOf({ service, release, phase, steps }: Work): string {
  const work = JSON.stringify([service, release, phase, steps.map((step) => step.argv)]);
  return createHash('sha256').update(work).digest('hex').slice(0, 16);
}
