import { begin, type Begun } from './begin.ts';
import { startRenewal } from './fence/renewal.ts';
import type { Turn } from './turn/turn.ts';
import { stopMsOf, type Databases, type Effects, type LockTerms, type Tool } from './plan/plan.ts';
import { Pulse } from './child/pulse.ts';
import type { LockedSession, Ran } from './steps/run-steps.ts';

/** Work that is done while lock, fence and Lease are held and renewed. */
type Work = (begun: Begun, held: LockedSession) => Promise<Ran>;
/** Records the result and releases everything. */
type Close<T> = (held: LockedSession, ran: Ran) => Promise<T>;

/** Keeps our turn renewed during the work, which starts once the previous migration can no longer write. */
export async function inTurn<T>(
  plan: Databases & Tool & LockTerms,
  turn: Turn,
  effects: Effects,
  work: Work,
  close: Close<T>,
): Promise<T> {
  const { session, lockName, token, takenAt, lease } = turn;
  let confirmedAt = takenAt;
  const limitMs = plan.lossMs + stopMsOf(plan);
  const pulse = new Pulse(() => Math.min(confirmedAt, lease?.confirmedAt() ?? confirmedAt) + limitMs);
  const onConfirmed = (at: number) => {
    confirmedAt = at;
    pulse.beat();
  };
  const { lossMs } = plan;
  const renewal = startRenewal({ session, lockName, token, takenAt, lossMs, signal: effects.signal, onConfirmed });
  const lost = lease === undefined ? renewal.lost : AbortSignal.any([renewal.lost, lease.lost]);
  const held = { session, lockName, token, lost, pulse };
  let begun: Begun;
  let ran: Ran;
  try {
    begun = await begin(plan, turn, held, effects);
    ran = await work(begun, held);
  } finally {
    await renewal[Symbol.asyncDispose]();
  }
  try {
    return await close(held, ran);
  } finally {
    await begun.end(ran);
  }
}
