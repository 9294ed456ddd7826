import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { formatDuration } from '../cli/duration.ts';
import { ExitCode } from '../cli/errors.ts';
import { isMysqlError, mysqlError, type MysqlSession } from '../platform/mysql/index.ts';
import { conclude } from './conclude.ts';
import { takeFence, type Claim, type FenceRow } from './fence.ts';
import { startGuarded } from './guarded-child.ts';
import { releaseLock } from './lock.ts';
import { lockedSession } from './locked-session.ts';
import { makeReady } from './make-ready.ts';
import { workOf, type Effects, type Plan } from './plan.ts';
import { awaitPredecessor } from './predecessor.ts';
import { supervise, type Outcome } from './supervise.ts';

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
  effects.signal.throwIfAborted();
  const outcome = await runSteps(plan, session, locked.lockName, token, { ...effects, log });
  return await conclude(plan, session, locked.lockName, token, outcome, { ...effects, log });
}

/** Whether the same work was finished between our first look and our turn. */
function isDoneMeanwhile(seen: FenceRow | undefined, row: FenceRow | undefined, plan: Plan): boolean {
  if (row?.state !== 'done' || row.work !== workOf(plan)) return false;
  return seen === undefined || row.token > seen.token || seen.state !== 'done';
}

async function runSteps(
  plan: Plan,
  session: MysqlSession,
  lockName: string,
  token: number,
  { signal, log, redact }: Effects,
): Promise<Outcome> {
  let outcome: Outcome = { state: 'ended', code: 0 };
  for (const { argv, again = [] } of plan.steps) {
    do {
      const began = performance.now();
      log.info(`running ${redact(argv.join(' '))}`);
      const from = basename(argv[0]);
      const child = await startGuarded(argv, {
        env: plan.childEnv,
        descriptor: session.descriptor,
        onLine: (line) => log.info(redact(stripVTControlCharacters(line)), { from }),
      });
      outcome = await supervise(child, { session, lockName, token, signal, log, ...plan });
      log.info(`${from} ended with ${outcome.code} after ${formatDuration(performance.now() - began)}`);
    } while (outcome.state === 'ended' && again.includes(outcome.code) && !signal.aborted);
    if (outcome.state !== 'ended' || outcome.code !== 0) return outcome;
    if (signal.aborted && argv !== plan.steps.at(-1)?.argv) return { state: 'interrupted', code: outcome.code };
  }
  return outcome;
}
