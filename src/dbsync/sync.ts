import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ExitCode, UnavailableError } from '../cli/errors.ts';
import { isMysqlError, mysqlError } from '../platform/mysql/index.ts';
import { conclude } from './conclude.ts';
import { takeFence, type Claim, type FenceRow } from './fence.ts';
import { releaseLock } from './lock.ts';
import { lockedSession } from './locked-session.ts';
import { makeReady } from './make-ready.ts';
import { workOf, type Effects, type Plan } from './plan.ts';
import { awaitPredecessor } from './predecessor.ts';
import { openRecord } from './record.ts';
import { runSteps } from './run-steps.ts';
import { isUpToDate } from './up-to-date.ts';

/** Migrates one database under its lock. The exit code is the command's own, or 0 when there was nothing to do. */
export async function sync(plan: Plan, effects: Effects): Promise<ExitCode> {
  try {
    return await migrate(plan, effects);
  } catch (error) {
    throw isMysqlError(error) ? mysqlError(`migrate database ${plan.target.database}`, error) : error;
  }
}

async function migrate(plan: Plan, effects: Effects): Promise<ExitCode> {
  await makeReady(plan, effects);
  if (await isUpToDate(plan, effects)) return ExitCode.ok;
  const locked = await lockedSession(plan, effects);
  await using session = locked.session;
  if (isDoneMeanwhile(locked.seen, locked.row, plan)) {
    effects.log.info(`nothing to do: ${locked.row?.holder} has finished it meanwhile`, { token: locked.row?.token });
    await releaseLock(session, locked.lockName);
    return ExitCode.ok;
  }
  const claim: Claim = {
    holder: `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`,
    service: plan.service,
    release: plan.release,
    phase: plan.phase,
    work: workOf(plan),
  };
  const { token, before } = await takeFence(session, claim);
  const log = effects.log.with({ token });
  if (before.state === 'running') {
    const { user, database } = plan.target;
    const deadline = performance.now() + plan.lockTimeoutMs;
    await awaitPredecessor(session, before, { user, database, deadline, signal: effects.signal, log });
  }
  if (!(await openRecord(session, claim, token)))
    throw new UnavailableError('somebody with a later token has begun the same: nothing was started here');
  effects.signal.throwIfAborted();
  const held = { session, lockName: locked.lockName, token };
  const ran = await runSteps(plan, held, { ...effects, log });
  return await conclude(plan, claim, held, ran, { ...effects, log });
}

/** Whether the same work was finished between our first look and our turn. */
function isDoneMeanwhile(seen: FenceRow | undefined, row: FenceRow | undefined, plan: Plan): boolean {
  if (row?.state !== 'done' || row.work !== workOf(plan)) return false;
  return seen === undefined || row.token > seen.token || seen.state !== 'done';
}
