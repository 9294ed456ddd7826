import { UnavailableError, messageOf } from '../../core/errors.ts';
import { UNKNOWN_DATABASE, errnoOf, isPassing, isUndone, mysqlError, reasonOf } from '../../mysql/index.ts';
import { latestToken, type RecordRow } from '../record/record.ts';
import { recordedAsDone, type RecordLook } from '../record/up-to-date.ts';
import { isClaimed, openFence, readFence, requireInnodb, takeFence, type Claim, type FenceRow } from './fence.ts';
import { breakStaleLock } from '../fencing/index.ts';
import { freeFence, holderOf, leaseObserver, type LeaseObserver } from './free-fence.ts';
import { endLockHolder, lockNameOf, takeLock } from './lock.ts';
import type { Database, Effects, LockTerms } from '../plan.ts';
import { reach, type Reached } from '../target/reach.ts';
import { statusLine } from '../../cli/status-line.ts';

/** Lock and fence are ours, in this session. */
export interface RowTaken {
  readonly session: Reached;
  readonly lockName: string;
  readonly claim: Claim;
  readonly token: number;
  /** By performance.now(): just before we took it. */
  readonly takenAt: number;
  /** The fence as we found it: `running` is one that was cut off. */
  readonly before: FenceRow;
  /** Whether a lease has passed since its holder, if it was cut off, could last renew it: its command is stopped. */
  readonly hasLeasePassed?: boolean;
}

/** The lock is ours, but another has finished the same since our first look. */
export interface RowFinished {
  readonly session: Reached;
  readonly lockName: string;
  readonly finished: Pick<RecordRow, 'holder' | 'token'>;
}

/** What the record said of this very work at our first look: under which token it was done, if it was. */
export type Sight = Pick<RecordLook, 'doneBy'>;

interface RowOptions {
  /** The record at our first look, before any wait. Undefined: this is it. */
  readonly seen: Sight | undefined;
  readonly claim: Claim;
  /** By performance.now(). */
  readonly deadline: number;
  /** Our token is greater. */
  readonly tokenAbove: number;
  /** Whose lease has passed already, by the Lease: its row is free at once. '' for none. */
  readonly passed: string;
}

/**
 * Waits for our turn at the row. GET_LOCK makes those on one server wait in it; what excludes those on other Galera
 * nodes is the fence row, which is free when its holder has ended or has not renewed it for a lease by our own clock. A
 * server that goes away meanwhile is waited for again, or another node of the target is used.
 * @throws DeadlineError that names the holder; the signal's reason; what reach() throws
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
        // On one server without a Lease the lock alone decides: only the very session that the row names is ended.
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
        // The row alone would not do: whoever finished it may have done other work under the same lock since.
        const done = await recordedAsDone(session, row, claim);
        if (done !== undefined && done.token !== seen.doneBy) return { session, lockName, finished: done };
        const isPassed = passed !== '' && row.holder === passed;
        // One server: whoever has its lock is alone.
        const isFree = !session.isGalera || isPassed;
        if (!isFree && !(await freeFence(row, observer, { deadline, signal, say }))) continue;
        await requireInnodb(session);
        // A row that was deleted, or restored with the database, has forgotten tokens.
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
 * Whether the turn of GET_LOCK's holder is over: frozen, it keeps the lock for as long as the server keeps its session.
 * Where neither Lease nor Galera is, the lock alone decides.
 */
function isOver(plan: LockTerms, { isGalera }: Reached, { row, passed, observer }: LockSight): boolean {
  if (plan.leaseSite === undefined && !isGalera) return false;
  // It may have been frozen before it took the row.
  if (passed !== '' && (row?.state !== 'running' || row.holder === passed)) return true;
  // Where no migrator runs under the row, the one with the lock takes the row at once: one that has not done so within a lease is frozen, and
  // was skipped on another node by one that has ended since.
  return row !== undefined && observer.unchangedMs(row) >= plan.leaseMs;
}

async function endHolder(session: Reached, lockName: string, log: Effects['log']): Promise<void> {
  try {
    const id = await endLockHolder(session, lockName);
    if (id !== undefined) log.warn(`session ${id}, which kept the lock after its lease had passed, is ended`);
  } catch (error) {
    if (isPassing(error) || isUndone(error)) throw error;
    log.warn(`cannot end the session that keeps the lock after its lease has passed: ${reasonOf(error)}`);
  }
}

async function sightOf(session: Reached, claim: Claim): Promise<Sight> {
  return { doneBy: (await recordedAsDone(session, await readFence(session), claim))?.token };
}

/** The record as it is now, by a session of its own. */
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
    throw new UnavailableError(`${messageOf(error)}; it is made when --admin-user is given`, { cause: error });
  }
}
