import { ExitCode, UnavailableError } from '../cli/errors.ts';
import { isMysqlError, mysqlError } from '../platform/mysql/index.ts';
import { conclude } from './conclude.ts';
import { releaseLock } from './lock.ts';
import { makeReady } from './ensure/index.ts';
import type { Effects, Plan } from './plan.ts';
import { awaitPredecessor } from './predecessor.ts';
import { openRecord } from './record.ts';
import { startRenewal } from './renewal.ts';
import { stillOld } from './rollout/still-old.ts';
import { runSteps, type Ran } from './run-steps.ts';
import { takeTurn, type TakeTurn, type Turn } from './turn.ts';
import { tellDone, tellUpToDate } from './tell-up-to-date.ts';
import { upToDateBy } from './up-to-date.ts';

/** Migrates one database under its lock. The exit code is the command's own, or 0 when there was nothing to do. */
export async function sync(plan: Plan, effects: Effects, take: TakeTurn = takeTurn): Promise<ExitCode> {
  try {
    return await migrate(plan, effects, take);
  } catch (error) {
    throw isMysqlError(error) ? mysqlError(`migrate database ${plan.target.database}`, error) : error;
  }
}

async function migrate(asked: Plan, effects: Effects, take: TakeTurn): Promise<ExitCode> {
  const plan = { ...asked, target: await makeReady(asked, effects) };
  if ((await upToDateBy(plan, effects)) !== undefined && (await tellUpToDate(plan, effects))) return ExitCode.ok;
  if (plan.rollout !== undefined) {
    effects.onStage?.('waiting for the rollout');
    await plan.rollout.wait(effects);
  }
  effects.onStage?.('waiting for the lock');
  const turn = await take(plan, effects);
  await using session = turn.session;
  await using _lease = turn.lease;
  if ('finished' in turn) {
    const { holder, token } = turn.finished;
    effects.log.info(`nothing to do: ${holder} has finished it meanwhile`, { token });
    await releaseLock(session, turn.lockName);
    await tellDone(plan, turn.lease, token);
    return ExitCode.ok;
  }
  return await migrateInTurn(plan, turn, { ...effects, log: effects.log.with({ token: turn.token }) });
}

async function migrateInTurn(plan: Plan, turn: Turn, effects: Effects): Promise<ExitCode> {
  const { session, lockName, claim, token, before, takenAt, lease } = turn;
  const renewal = startRenewal({ session, lockName, token, takenAt, lossMs: plan.lossMs });
  const lost = lease === undefined ? renewal.lost : AbortSignal.any([renewal.lost, lease.lost]);
  const held = { session, lockName, token, lost };
  let ran: Ran;
  try {
    if (before.state === 'running') {
      const { target } = plan;
      const deadline = performance.now() + plan.lockTimeoutMs;
      const signal = AbortSignal.any([effects.signal, lost]);
      await awaitPredecessor(session, before, { target, deadline, signal, log: effects.log });
    }
    if (!(await openRecord(session, claim, token))) {
      throw new UnavailableError('somebody with a later token has begun the same: nothing was started here');
    }
    effects.signal.throwIfAborted();
    const { phase, release } = claim;
    await lease?.publish({ state: 'running', phase, release, token });
    effects.onStage?.('migrating');
    ran = (await stillOld(plan.rollout, held, effects)) ?? (await runSteps(plan, held, effects));
  } finally {
    await renewal[Symbol.asyncDispose]();
  }
  return await conclude(plan, turn, held, ran, effects);
}
