import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { messageOf } from '../../core/errors.ts';
import type { Claim } from '../fence/fence.ts';
import { takeLease, type HeldLease } from '../lease/index.ts';
import { workOf, type Database, type Effects, type LockTerms, type Work } from '../plan/plan.ts';
import { seeRecord, takeRow, type RowFinished, type RowTaken, type Sight } from './take-row.ts';

/** Our turn: Lease (if there is one), lock and fence are held. */
export type Turn = RowTaken & OnLease;
/** Lease and lock are held, but another migrator has finished the same work while we waited. */
type NoTurn = RowFinished & OnLease;

interface OnLease {
  /** Undefined if the row is the only lock. The caller releases the Lease. */
  readonly lease?: HeldLease | undefined;
}

/** Lets a test substitute a lock that excludes nothing, to show that the real one does. */
export type TakeTurn = typeof takeTurn;

/**
 * Waits for our turn: first at the Lease, which costs the database nothing while it is held, then at the row, which
 * migrators without a Lease take too. If the Lease is lost while waiting for the row, it waits for the Lease again.
 * @param first the record at the caller's first check; if undefined, it is read now
 * @throws DeadlineError naming the holder; the signal's reason; what takeLease() and reach() throw
 */
export async function takeTurn(
  plan: Work & Database & LockTerms,
  effects: Pick<Effects, 'signal' | 'log' | 'onStage'>,
  first?: Sight,
): Promise<Turn | NoTurn> {
  const { signal, log, onStage } = effects;
  const { leaseMs, lossMs } = plan;
  const deadline = performance.now() + plan.lockTimeoutMs;
  const claim = claimFor(plan);
  const alone = { seen: first, claim, deadline, tokenAbove: 0, passed: '' };
  if (plan.leaseSite === undefined) return await takeRow(plan, alone, effects);
  const seen = first ?? (await seeRecord(plan, claim, effects));
  onStage?.('waiting for the lock');
  for (;;) {
    const lease = await takeLease(plan.leaseSite, { holder: claim.holder, leaseMs, lossMs, deadline, signal, log });
    const { transitions: tokenAbove, predecessor: passed, lost } = lease;
    try {
      const options = { claim, deadline, seen, tokenAbove, passed };
      return { ...(await takeRow(plan, options, { log, onStage, signal: AbortSignal.any([signal, lost]) })), lease };
    } catch (error) {
      await lease[Symbol.asyncDispose]();
      if (signal.aborted || !lost.aborted) throw error;
      log.warn(`${messageOf(lost.reason)}: waiting for it again`);
    }
  }
}

function claimFor(plan: Work): Claim {
  const holder = newHolder();
  const { service, release, phase } = plan;
  const work = plan.isAlwaysDone ? createHash('sha256').update(holder).digest('hex').slice(0, 16) : workOf(plan);
  return { holder, service, release, phase, work };
}

/** A name that no process has had before. */
export function newHolder(): string {
  return `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`;
}
