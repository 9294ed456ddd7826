import { ExitCode } from '../core/errors.ts';
import { preferring } from '../mysql/index.ts';
import { conclude } from './conclude.ts';
import { releaseLock } from './fence/lock.ts';
import { makeReady } from './ensure/index.ts';
import { inTurn } from './in-turn.ts';
import type { Effects, LockedWork, Plan } from './plan/plan.ts';
import { stillOld } from './still-old.ts';
import { runSteps, type Ran } from './steps/run-steps.ts';
import { takeTurn, type TakeTurn, type Turn } from './turn/turn.ts';
import { tellDone, tellUpToDate } from './turn/tell-up-to-date.ts';
import { lookAtRecord } from './turn/up-to-date.ts';
import { explainErrors } from './explain.ts';

type Migration = LockedWork & Pick<Plan, 'rollout'>;

/**
 * Creates database and accounts, if there is an admin, and migrates the database under its lock. The exit code is the
 * command's, or 0 if there was nothing to do.
 */
export async function sync(plan: Plan, effects: Effects, take: TakeTurn = takeTurn): Promise<ExitCode> {
  return await explainErrors(plan, async () =>
    migrate({ ...plan, target: await makeReady(plan, effects) }, effects, take),
  );
}

/** The same for a database that already exists. */
export async function syncReady(plan: Migration, effects: Effects): Promise<ExitCode> {
  return await explainErrors(plan, () => migrate(plan, effects, takeTurn));
}

async function migrate(plan: Migration, effects: Effects, take: TakeTurn): Promise<ExitCode> {
  const seen = await lookAtRecord(plan, effects);
  if (seen?.isUpToDate === true && (await tellUpToDate(plan, effects))) return ExitCode.ok;
  if (plan.rollout !== undefined) {
    effects.onStage?.('waiting for the rollout');
    await plan.rollout.wait(effects);
  }
  const turn = await take(plan, effects, seen);
  await using session = turn.session;
  await using _ = turn.lease;
  if ('finished' in turn) {
    const { holder, token } = turn.finished;
    effects.log.info(`nothing to do: ${holder} has finished it meanwhile`, { token });
    await releaseLock(session, turn.lockName);
    await tellDone(plan, turn.lease, token);
    return ExitCode.ok;
  }
  // Later steps first try the node that has accepted us, because a frozen node costs seconds each time.
  const there = { ...plan, target: preferring(plan.target, session.at) };
  return await migrateInTurn(there, turn, { ...effects, log: effects.log.with({ token: turn.token }) });
}

async function migrateInTurn(plan: Migration, turn: Turn, effects: Effects): Promise<ExitCode> {
  const { claim, token, lease } = turn;
  return await inTurn(
    plan,
    turn,
    effects,
    async (begun, held) => {
      const { phase, release } = claim;
      const refused = await lease?.publish({ state: 'running', phase, release, token }, effects.signal);
      if (refused !== undefined) return unpublished(refused);
      effects.onStage?.('migrating');
      return (
        (await stillOld(plan.rollout, held, effects)) ??
        (await runSteps({ ...plan, childEnv: begun.childEnv }, held, { ...effects, redact: begun.redact }))
      );
    },
    (held, ran) => conclude(plan, turn, held, ran, effects),
  );
}

/** No service may start on a changing schema, so if the change cannot be published, nothing is started. */
function unpublished(why: string): Ran {
  const meaning = `${why}; nothing was run`;
  return {
    program: 'the state on the Lease',
    outcome: { state: 'ended', code: ExitCode.unavailable },
    meaning,
    output: meaning,
  };
}
