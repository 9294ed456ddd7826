import { ExitCode } from '../cli/errors.ts';
import { isMysqlError, mysqlError } from '../platform/mysql/index.ts';
import { begin, type Begun } from './begin.ts';
import { conclude } from './record/conclude.ts';
import { releaseLock } from './lock/lock.ts';
import { makeReady } from './ensure/index.ts';
import { stopMsOf, type Effects, type Plan } from './plan.ts';
import { Pulse } from './steps/pulse.ts';
import { startRenewal } from './lock/renewal.ts';
import { stillOld } from './rollout/still-old.ts';
import { runSteps, type Ran } from './steps/run-steps.ts';
import { takeTurn, type TakeTurn, type Turn } from './lock/turn.ts';
import { tellDone, tellUpToDate } from './record/tell-up-to-date.ts';
import { upToDateBy } from './record/up-to-date.ts';

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
  const turn = await take(plan, effects);
  await using session = turn.session;
  await using _ = turn.lease;
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
  const { session, lockName, claim, token, takenAt, lease } = turn;
  let confirmedAt = takenAt;
  const limitMs = plan.lossMs + stopMsOf(plan);
  const pulse = new Pulse(() => Math.min(confirmedAt, lease?.confirmedAt() ?? confirmedAt) + limitMs);
  const onConfirmed = (at: number) => {
    confirmedAt = at;
    pulse.beat();
  };
  const renewal = startRenewal({ session, lockName, token, takenAt, lossMs: plan.lossMs, onConfirmed });
  const lost = lease === undefined ? renewal.lost : AbortSignal.any([renewal.lost, lease.lost]);
  const held = { session, lockName, token, lost, pulse };
  let begun: Begun | undefined;
  let ran: Ran;
  try {
    begun = await begin(plan, turn, held, effects);
    const { phase, release } = claim;
    await lease?.publish({ state: 'running', phase, release, token }, effects.signal);
    effects.onStage?.('migrating');
    ran =
      (await stillOld(plan.rollout, held, effects)) ??
      (await runSteps(begun.plan, held, { ...effects, redact: begun.redact }));
  } finally {
    await renewal[Symbol.asyncDispose]();
  }
  try {
    return await conclude(plan, turn, held, ran, effects);
  } finally {
    await begun.end(ran);
  }
}
