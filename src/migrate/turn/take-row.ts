import { UnavailableError, messageOf } from '../../core/errors.ts';
import { UNKNOWN_DATABASE, errnoOf, isPassing, isUndone, mysqlError, reasonOf } from '../../mysql/index.ts';
import { latestToken, readRecords, type RecordRow } from '../record/record.ts';
import { doneIn, type RecordLook } from './up-to-date.ts';
import {
  isClaimed,
  openFence,
  readFence,
  requireInnodb,
  takeFence,
  type Claim,
  type FenceRow,
} from '../fence/fence.ts';
import { breakStaleLock } from '../fencing/index.ts';
import { freeFence, holderOf, leaseObserver, type LeaseObserver } from '../fence/free-fence.ts';
import { endLockHolder, lockNameOf, takeLock } from '../fence/lock.ts';
import type { Database, Effects, LockTerms } from '../plan/plan.ts';
import { reach, type Reached } from '../server/reach.ts';
import { statusLine } from '../../cli/status-line.ts';

/** This session holds lock and fence. */
export interface RowTaken {
  readonly session: Reached;
  readonly lockName: string;
  readonly claim: Claim;
  readonly token: number;
  /** Just before lock and fence were taken, in terms of performance.now(). */
  readonly takenAt: number;
  /** The fence as it was found. `running` means interrupted. */
  readonly before: FenceRow;
  /**
   * Whether a whole lease has passed since the interrupted holder could last renew the fence, so that the holder's
   * command is stopped.
   */
  readonly hasLeasePassed?: boolean;
}

/** The lock is held, but another migrator has finished the same work since the first check. */
export interface RowFinished {
  readonly session: Reached;
  readonly lockName: string;
  readonly finished: Pick<RecordRow, 'holder' | 'token'>;
}

/** What the record said about this work at the first check: the token under which the work was done, if it was. */
export type Sight = Pick<RecordLook, 'doneBy'>;

interface RowOptions {
  /** The record at the first check, before any wait. If undefined, this is the first check. */
  readonly seen: Sight | undefined;
  readonly claim: Claim;
  /** Deadline in terms of performance.now(). */
  readonly deadline: number;
  /** Our token must be greater than this one. */
  readonly tokenAbove: number;
  /** A holder whose Lease has expired, so that its row is free at once. '' if there is none. */
  readonly passed: string;
}

/**
 * Waits for our turn at the row. GET_LOCK queues migrators on one server; those on other Galera nodes are excluded by
 * the fence row, which is free when its holder has finished or not renewed it for a lease by our own clock. If the
 * server becomes unavailable, it waits for the server or uses another node of the target.
 * @throws DeadlineError naming the holder; the signal's reason; what reach() throws
 */
export async function takeRow(
  plan: Database & LockTerms,
  options: RowOptions,
  { signal, log, onStage }: Pick<Effects, 'signal' | 'log' | 'onStage'>,
): Promise<RowTaken | RowFinished> {
  const { claim, deadline, tokenAbove, passed } = options;
  const { database } = plan.target;
  const lockName = lockNameOf(database);
  const say = statusLine(log);
  const observer = leaseObserver(plan.leaseMs);
  let { seen } = options;
  let tried: Omit<RowTaken, 'session' | 'lockName' | 'claim'> | undefined;
  for (;;) {
    onStage?.('waiting for the server');
    const session = await reachDatabase(plan, { signal, log });
    onStage?.('waiting for the lock');
    const stop = () => session.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      seen ??= await sightOf(session, claim);
      const onWait = async () => {
        const row = await readFence(session);
        if (isOver(plan, session, { row, passed, observer })) await endHolder(session, lockName, log);
        // On one server without a Lease only the lock decides, so only the session named in the row is killed.
        else if (row !== undefined && observer.unchangedMs(row) >= plan.leaseMs)
          await breakStaleLock(session, lockName, row, log);
        const text = holderOf(row);
        say(`waiting: ${text}`);
        return text;
      };
      await takeLock(session, lockName, { deadline, signal, onWait });
      for (;;) {
        const row = await openFence(session);
        if (tried !== undefined && isClaimed(row, claim, tried.token)) return { session, lockName, claim, ...tried };
        // The row alone is not enough, because its last holder may have done other work under the same lock since.
        const done = doneIn(await readRecords(session), row, claim);
        if (done !== undefined && done.token !== seen.doneBy) return { session, lockName, finished: done };
        const isPassed = passed !== '' && row.holder === passed;
        // On a single server, only the holder of its lock can take the fence.
        const isFree = !session.isGalera || isPassed;
        if (!isFree && !(await freeFence(row, observer, { deadline, signal, say }))) continue;
        await requireInnodb(session);
        // A row that was deleted, or restored with the database, has lost its token.
        const token = Math.max(row.token, tokenAbove, await latestToken(session)) + 1;
        const hasLeasePassed = session.isGalera || isPassed || observer.unchangedMs(row) >= plan.leaseMs;
        tried = { before: row, takenAt: performance.now(), token, hasLeasePassed };
        const isOurs = (await takeFence(session, claim, row, token)) !== undefined;
        if (isOurs) return { session, lockName, claim, ...tried };
      }
    } catch (error) {
      session.destroy();
      signal.throwIfAborted();
      if (!isPassing(error) && !isUndone(error)) throw mysqlError(`take the lock on database ${database}`, error);
      log.warn(`lost the server while waiting for the lock: ${reasonOf(error)}`);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

interface LockSight {
  readonly row: FenceRow | undefined;
  readonly passed: string;
  readonly observer: LeaseObserver;
}

/**
 * Whether the turn of the session that holds GET_LOCK is over: a frozen process keeps the lock as long as the server
 * keeps its session. Without Lease and Galera, only the lock decides.
 */
function isOver(plan: LockTerms, { isGalera }: Reached, { row, passed, observer }: LockSight): boolean {
  if (plan.leaseSite === undefined && !isGalera) return false;
  // The process may have frozen before it took the row.
  if (passed !== '' && (row?.state !== 'running' || row.holder === passed)) return true;
  // If no migrator runs under the row, the lock's holder takes the row at once. A holder that has not done so within a
  // lease is frozen, and a migrator on another node has overtaken it and finished.
  return row !== undefined && observer.unchangedMs(row) >= plan.leaseMs;
}

async function endHolder(session: Reached, lockName: string, log: Effects['log']): Promise<void> {
  try {
    const id = await endLockHolder(session, lockName);
    if (id !== undefined) log.warn(`killed session ${id}, which kept the lock after its lease had expired`);
  } catch (error) {
    if (isPassing(error) || isUndone(error)) throw error;
    log.warn(`cannot kill the session that keeps the lock after its lease has expired: ${reasonOf(error)}`);
  }
}

async function sightOf(session: Reached, claim: Claim): Promise<Sight> {
  const row = await readFence(session);
  return { doneBy: doneIn(await readRecords(session), row, claim)?.token };
}

/** The current record, read through a separate session. */
export async function seeRecord(
  plan: Database,
  claim: Claim,
  effects: Pick<Effects, 'signal' | 'log'>,
): Promise<Sight> {
  for (;;) {
    await using session = await reachDatabase(plan, effects);
    try {
      return await sightOf(session, claim);
    } catch (error) {
      effects.signal.throwIfAborted();
      if (!isPassing(error) && !isUndone(error)) throw mysqlError(`read database ${plan.target.database}`, error);
    }
  }
}

async function reachDatabase(
  { target, timeoutMs, galeraDonor }: Database,
  { signal, log }: Pick<Effects, 'signal' | 'log'>,
): Promise<Reached> {
  try {
    return await reach(target, { timeoutMs, signal, log, galeraDonor, database: target.database });
  } catch (error) {
    if (errnoOf((error as Error).cause) !== UNKNOWN_DATABASE) throw error;
    throw new UnavailableError(`${messageOf(error)}; it is created if --admin-user is given`, { cause: error });
  }
}
