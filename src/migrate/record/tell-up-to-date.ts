import { UnavailableError } from '../../core/errors.ts';
import type { HeldLease } from '../lease/index.ts';
import { isPublished, takeLease } from '../lease/index.ts';
import type { Database, Effects, LockTerms, Tool, Work } from '../plan.ts';
import { newHolder } from '../lock/turn.ts';
import { upToDateBy } from './up-to-date.ts';

/** An API server that is away for a moment: who waits for the word waits for ever without it. */
const TELL_MS = 30_000;

/**
 * Sees to it that the Lease says that our work is done: it may be younger than the record, or its last holder may have
 * died between the record and the Lease. Where it does not say so, it is taken for that.
 * @returns false when there is something to do after all, as others were at work meanwhile
 */
export async function tellUpToDate(plan: Work & Database & Tool & LockTerms, effects: Effects): Promise<boolean> {
  const { leaseSite, phase, release, leaseMs, lossMs } = plan;
  if (leaseSite === undefined) return true;
  const { signal, log } = effects;
  if (await isPublished(leaseSite, { state: 'done', phase, release }, signal)) return true;
  const deadline = performance.now() + plan.lockTimeoutMs;
  await using lease = await takeLease(leaseSite, { holder: newHolder(), leaseMs, lossMs, deadline, signal, log });
  // Others may have been at work between our look and now.
  const doneBy = await upToDateBy(plan, effects);
  if (doneBy === undefined) return false;
  await tellDone(plan, lease, doneBy);
  return true;
}

/** Gives the Lease back with the word that our work was done under that token. UnavailableError when it can't be said. */
export async function tellDone({ phase, release }: Work, lease: HeldLease | undefined, token: number): Promise<void> {
  if ((await lease?.end({ state: 'done', phase, release, token }, TELL_MS)) === false) {
    throw new UnavailableError('there was nothing to do, but that could not be published: run it again');
  }
}
