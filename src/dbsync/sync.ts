import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { formatDuration } from '../cli/duration.ts';
import { ExitCode, NotPermittedError, UnavailableError, messageOf } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import {
  ACCESS_DENIED,
  UNKNOWN_DATABASE,
  connect,
  errnoOf,
  isMysqlError,
  isPassing,
  mysqlError,
  reasonOf,
  type MysqlSession,
  type MysqlTarget,
} from '../platform/mysql/index.ts';
import type { Redact } from '../platform/redact.ts';
import type { Step } from '../services/index.ts';
import { ensure, type EnsureOptions } from './ensure.ts';
import { closeFence, createFence, readFence, takeFence, type Claim, type FenceRow, type FenceState } from './fence.ts';
import { startGuarded } from './guarded-child.ts';
import { lockNameOf, releaseLock, takeLock } from './lock.ts';
import { awaitPredecessor } from './predecessor.ts';
import { reach } from './reach.ts';
import { statusLine } from './status-line.ts';
import { supervise, type Outcome } from './supervise.ts';

/** Everything that one migration needs to know. */
export interface Plan extends EnsureOptions {
  readonly service: string;
  readonly release: string;
  readonly phase: string;
  readonly steps: readonly Step[];
  readonly target: MysqlTarget;
  /** Undefined: database, account and grants are left alone. */
  readonly admin: MysqlTarget | undefined;
  readonly childEnv: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly lossMs: number;
  readonly graceMs: number;
}

export interface Effects {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly redact: Redact;
}

/** For the last word in the fence row when the session that held it is gone. */
const LAST_WORD_MS = 5000;

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

async function makeReady(plan: Plan, { signal, log }: Effects): Promise<void> {
  const { admin, target, timeoutMs } = plan;
  if (admin === undefined) {
    log.info('no --admin-user: database, account and grants are left alone');
    return;
  }
  await using session = await reach(admin, { timeoutMs, signal, log });
  const { accountExisted } = await ensure(session, target, plan, log);
  try {
    await (await reach(target, { timeoutMs, signal, log, database: target.database }))[Symbol.asyncDispose]();
  } catch (error) {
    if (!accountExisted || errnoOf((error as Error).cause) !== ACCESS_DENIED) throw error;
    throw new NotPermittedError(
      `account ${target.user} was there before, with another password, which is never changed silently: ` +
        `put the right one into the service's database URL, or set this one by ALTER USER`,
      { cause: error },
    );
  }
}

interface Locked {
  readonly session: MysqlSession;
  readonly lockName: string;
  /** The fence as it stood before we waited, and as it stands now. */
  readonly seen: FenceRow | undefined;
  readonly row: FenceRow | undefined;
}

/** A session with the lock. A server that goes away meanwhile is waited for again. */
async function lockedSession(plan: Plan, { signal, log }: Effects): Promise<Locked> {
  const { target, timeoutMs } = plan;
  const { database } = target;
  const lockName = lockNameOf(database);
  const deadline = performance.now() + plan.lockTimeoutMs;
  const say = statusLine(log);
  let seen: FenceRow | undefined;
  let isFirst = true;
  for (;;) {
    const session = await reach(target, { timeoutMs, signal, log, database }).catch(explainUnknownDatabase);
    try {
      if (isFirst) seen = await readFence(session);
      isFirst = false;
      const onWait = async () => {
        const text = describeHolder(await readFence(session));
        say(`waiting: ${text}`);
        return text;
      };
      await takeLock(session, lockName, { deadline, signal, onWait });
      await createFence(session);
      return { session, lockName, seen, row: await readFence(session) };
    } catch (error) {
      session.destroy();
      signal.throwIfAborted();
      if (!isPassing(error)) throw mysqlError(`take the lock on database ${database}`, error);
      log.warn(`lost the server while waiting for the lock: ${reasonOf(error)}`);
    }
  }
}

function explainUnknownDatabase(error: unknown): never {
  if (errnoOf((error as Error).cause) !== UNKNOWN_DATABASE) throw error;
  throw new UnavailableError(`${messageOf(error)}; it is made when --admin-user is given`, { cause: error });
}

function describeHolder(row: FenceRow | undefined): string {
  if (row?.state !== 'running') return 'another one has just taken the lock';
  const release = row.release === '' ? '' : ` of release ${row.release}`;
  return `${row.holder} has migrated ${row.service}${release} (${row.phase}) since ${row.started} UTC, token ${row.token}`;
}

/** Whether the same work was finished between our first look and our turn. */
function isDoneMeanwhile(seen: FenceRow | undefined, row: FenceRow | undefined, plan: Plan): boolean {
  if (row?.state !== 'done' || row.work !== workOf(plan)) return false;
  return seen === undefined || row.token > seen.token || seen.state !== 'done';
}

function workOf({ service, release, steps }: Plan): string {
  const work = JSON.stringify([service, release, steps.map((step) => step.argv)]);
  return createHash('sha256').update(work).digest('hex').slice(0, 16);
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
      const from = argv[0];
      const child = await startGuarded(argv, {
        env: plan.childEnv,
        descriptor: session.descriptor,
        onLine: (line) => log.info(redact(line), { from }),
      });
      outcome = await supervise(child, { session, lockName, token, signal, log, ...plan });
      log.info(`${from} ended with ${outcome.code} after ${formatDuration(performance.now() - began)}`);
    } while (outcome.state === 'ended' && again.includes(outcome.code) && !signal.aborted);
    if (outcome.state !== 'ended' || outcome.code !== 0) return outcome;
    if (signal.aborted && argv !== plan.steps.at(-1)?.argv) return { state: 'interrupted', code: outcome.code };
  }
  return outcome;
}

async function conclude(
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
  log: Log,
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
