import { UnavailableError } from '../../core/errors.ts';
import type { HeldLease } from '../lease/index.ts';
import { isPublished, takeLease } from '../lease/index.ts';
import type { Database, Effects, LockTerms, Tool, Work } from '../plan/plan.ts';
import { newHolder } from './turn.ts';
import { upToDateBy } from './up-to-date.ts';

/** Time for an API server that is briefly unavailable. Without a retry a waiter would wait forever. */
const TELL_MS = 30_000;

/**
 * Ensures that the Lease records our work as done; if it does not, takes the Lease to publish that. The Lease may be
 * newer than the record, or its last holder may have died after it wrote the record.
 * @returns false if there is work to do after all, because of other migrators
 */
export async function tellUpToDate(plan: Work & Database & Tool & LockTerms, effects: Effects): Promise<boolean> {
  const { leaseSite, phase, release, leaseMs, lossMs } = plan;
  if (leaseSite === undefined) return true;
  const { signal, log } = effects;
  if (await isPublished(leaseSite, { state: 'done', phase, release }, signal)) return true;
  const deadline = performance.now() + plan.lockTimeoutMs;
  await using lease = await takeLease(leaseSite, { holder: newHolder(), leaseMs, lossMs, deadline, signal, log });
  // Other migrators may have run since our check.
  const doneBy = await upToDateBy(plan, effects);
  if (doneBy === undefined) return false;
  await tellDone(plan, lease, doneBy);
  return true;
}

/**
 * Publishes on the Lease that our work is done under that token, and releases it. Throws UnavailableError if that
 * fails.
 */
export async function tellDone({ phase, release }: Work, lease: HeldLease | undefined, token: number): Promise<void> {
  if ((await lease?.end({ state: 'done', phase, release, token }, TELL_MS)) === false) {
    throw new UnavailableError('there was nothing to do, but that could not be published: run it again');
  }
}
