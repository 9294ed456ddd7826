import { UnavailableError, type ExitCode } from '../cli/errors.ts';
import { connect, reasonOf, type MysqlSession } from '../platform/mysql/index.ts';
import { closeFence, type FenceState } from './fence.ts';
import { releaseLock } from './lock.ts';
import type { Effects, Plan } from './plan.ts';
import type { Outcome } from './supervise.ts';

/** For the last word in the fence row when the session that held it is gone. */
const LAST_WORD_MS = 5000;

/** Records how it ended, gives the lock back, and makes the exit code of it. */
export async function conclude(
  plan: Plan,
  session: MysqlSession,
  lockName: string,
  token: number,
  outcome: Outcome,
  { signal, log }: Effects,
): Promise<ExitCode> {
  const { code } = outcome;
  const state: FenceState = outcome.state === 'ended' ? (code === 0 ? 'done' : 'failed') : outcome.state;
  const isRecorded = await record(plan, session, token, state, code, log);
  if (!session.lost.aborted) await releaseLock(session, lockName).catch(() => session.destroy());
  switch (outcome.state) {
    case 'lost':
      throw new UnavailableError(`the lock was lost while the command ran, so it was stopped: ${outcome.why}`);
    case 'interrupted':
      throw signal.reason;
    case 'ended':
      if (code !== 0) log.error(`the migration failed: ${plan.steps[0]?.argv[0]} ended with ${code}`);
      else if (!isRecorded)
        throw new UnavailableError('the command succeeded, but that could not be recorded: run it again');
      return code;
  }
}

async function record(
  { target }: Plan,
  session: MysqlSession,
  token: number,
  state: FenceState,
  code: number,
  log: Effects['log'],
): Promise<boolean> {
  try {
    if (!session.lost.aborted) return await closeFence(session, token, state, code);
    const signal = AbortSignal.timeout(LAST_WORD_MS);
    await using other = await connect(target, { signal, database: target.database, statementMs: LAST_WORD_MS });
    return await closeFence(other, token, state, code);
  } catch (error) {
    log.warn(`cannot record that it is ${state}: ${reasonOf(error)}`);
    return false;
  }
}
