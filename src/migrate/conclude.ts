import { ChildError, ExitCode, UnavailableError } from '../core/errors.ts';
import { longAfter, unlessAborted } from '../core/abort.ts';
import { reasonOf, type MysqlSession } from '../mysql/index.ts';
import { closeMigration, type Ended } from './record/closing.ts';
import type { HeldLease } from './lease/index.ts';
import type { Claim, FenceState } from './fence/fence.ts';
import { releaseLock } from './fence/lock.ts';
import type { Database, Effects } from './plan/plan.ts';
import { reach } from './server/reach.ts';
import type { LockedSession, Ran } from './steps/run-steps.ts';
import { isOverAfter } from './child/supervise.ts';
import type { Turn } from './turn/turn.ts';

/**
 * Time for the final write to the fence row if the session that held it has ended. It is within a Pod's termination
 * grace period.
 */
const SHUTDOWN_MS = 4000;
/** After a success it is worth waiting until the cluster has evicted a node that has failed. */
const CLEANUP_MS = 30_000;

/** Minimum time for the final write to the Lease, which otherwise gets the time that the write to the row has left. */
const LEAST_WORD_MS = 1000;

/** Records the result, releases the lock, publishes the result on the Lease, and maps it to the exit code. */
export async function conclude(
  plan: Database,
  { claim, lease }: Pick<Turn, 'claim'> & { readonly lease?: Pick<HeldLease, 'end'> | undefined },
  held: LockedSession,
  ran: Ran,
  { signal, log }: Effects,
): Promise<ExitCode> {
  const { outcome, program, meaning, needsRepair } = ran;
  const { session, lockName } = held;
  const { code } = outcome;
  const state: FenceState = outcome.state === 'ended' ? (code === 0 ? 'done' : 'failed') : outcome.state;
  const isOver = isOverAfter(outcome);
  const until = performance.now() + (state === 'done' ? CLEANUP_MS : SHUTDOWN_MS);
  const ended = { state, exitCode: code, output: ran.output, isOver };
  const isRecorded = await record(plan, claim, held, ended, { signal, log });
  if (!session.lost.aborted) await releaseLock(session, lockName, LEAST_WORD_MS).catch(() => session.destroy());
  const { phase, release } = claim;
  // A waiting process must not continue based on a state that the next migrator does not know.
  const known = state === 'done' && !isRecorded ? 'lost' : state;
  const news = { state: known, phase, release, token: held.token };
  const isPublished = (await lease?.end(news, Math.max(LEAST_WORD_MS, until - performance.now()))) ?? true;
  switch (outcome.state) {
    case 'lost':
      throw new UnavailableError(`the command was stopped while it ran: ${outcome.why}`);
    case 'interrupted':
      throw signal.reason;
    case 'ended':
      if (code !== 0) {
        if (ran.error !== undefined) throw ran.error;
        const why = meaning === undefined ? '' : `: ${meaning}`;
        const failed = `the migration failed: ${program} exited with code ${code}${why}`;
        // Instead of the tool's code: a Job ends at this one, since another run can't help. A sidecar stays, as after any failure.
        throw new ChildError(needsRepair === true ? ExitCode.badConfig : code, failed, ran.lastLine);
      } else if (!isRecorded)
        throw new UnavailableError('the command succeeded, but that could not be recorded: run it again');
      else if (!isPublished)
        throw new UnavailableError('the command succeeded, but that could not be published: run it again');
      return code;
  }
}

async function record(
  { target, galeraDonor }: Database,
  claim: Claim,
  { session, token }: LockedSession,
  ended: Ended,
  { signal: asked, log }: Pick<Effects, 'signal' | 'log'>,
): Promise<boolean> {
  const timeoutMs = ended.state === 'done' ? CLEANUP_MS : SHUTDOWN_MS;
  // Our signal does not abort this write at once, because the write is needed most after an abort. The time is limited,
  // because waiters on the Lease wait meanwhile.
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), longAfter(asked, SHUTDOWN_MS)]);
  const write = async (on: MysqlSession) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => on.destroy(), { once: true });
    return await unlessAborted(closeMigration(on, claim, token, ended), signal);
  };
  try {
    // A session that is still open may be on a partitioned node, which has lost our lock.
    if (!session.lost.aborted && ended.state !== 'lost') return await write(session);
    await using other = await reach(target, { timeoutMs, signal, log, galeraDonor, database: target.database });
    return await write(other);
  } catch (error) {
    const why = signal.aborted ? 'the server did not answer in time' : reasonOf(error);
    log.warn(`cannot record that it is ${ended.state}: ${why}`);
    return false;
  }
}
