import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { UnavailableError, messageOf } from '../cli/errors.ts';
import { UNKNOWN_DATABASE, errnoOf, isPassing, isUndone, mysqlError, reasonOf } from '../platform/mysql/index.ts';
import { isClaimed, openFence, readFence, takeFence, type Claim, type FenceRow } from './fence.ts';
import { freeFence, holderOf, leaseObserver } from './free-fence.ts';
import { lockNameOf, takeLock } from './lock.ts';
import { workOf, type Effects, type Plan } from './plan.ts';
import { reach, type Reached } from './reach.ts';
import { statusLine } from './status-line.ts';

/** Our turn: lock and fence are ours, in this session. */
export interface Turn {
  readonly session: Reached;
  readonly lockName: string;
  readonly claim: Claim;
  readonly token: number;
  /** By performance.now(): just before we took it. */
  readonly takenAt: number;
  /** The fence as we found it: `running` is one that was cut off. */
  readonly before: FenceRow;
}

/** The lock is ours, but somebody else has finished the same while we waited. */
export interface NoTurn {
  readonly session: Reached;
  readonly lockName: string;
  readonly finished: FenceRow;
}

/** A test shows by one that excludes nobody that the real one does. */
export type TakeTurn = typeof takeTurn;

/**
 * Waits for our turn. GET_LOCK makes those on one server wait in it; what excludes those on other Galera nodes is the
 * fence row, which is free when its holder has ended or has not renewed it for a lease by our own clock. A server that
 * goes away meanwhile is waited for again, or another node of the target is used.
 * @throws DeadlineError that names the holder; the signal's reason; what reach() throws
 */
export async function takeTurn(plan: Plan, { signal, log }: Pick<Effects, 'signal' | 'log'>): Promise<Turn | NoTurn> {
  const { target, timeoutMs, galeraDonor } = plan;
  const { database } = target;
  const lockName = lockNameOf(database);
  const deadline = performance.now() + plan.lockTimeoutMs;
  const say = statusLine(log);
  const claim = claimFor(plan);
  const observer = leaseObserver(plan.leaseMs);
  let tried: { readonly before: FenceRow; readonly takenAt: number } | undefined;
  let seen: { readonly row: FenceRow | undefined } | undefined;
  for (;;) {
    const session = await reach(target, { timeoutMs, signal, log, database, galeraDonor }).catch(
      explainUnknownDatabase,
    );
    const stop = () => session.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      seen ??= { row: await readFence(session) };
      const onWait = async () => {
        const text = holderOf(await readFence(session));
        say(`waiting: ${text}`);
        return text;
      };
      await takeLock(session, lockName, { deadline, signal, onWait });
      for (;;) {
        const row = await openFence(session);
        if (tried !== undefined && isClaimed(row, claim, tried.before.token + 1)) {
          return { session, lockName, claim, token: row.token, ...tried };
        }
        if (isDoneMeanwhile(seen.row, row, claim)) return { session, lockName, finished: row };
        // One server: whoever has its lock is alone.
        if (session.isGalera && !(await freeFence(row, observer, { deadline, signal, say }))) continue;
        tried = { before: row, takenAt: performance.now() };
        const token = await takeFence(session, claim, row);
        if (token !== undefined) return { session, lockName, claim, token, ...tried };
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

function claimFor(plan: Plan): Claim {
  return {
    holder: `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`,
    service: plan.service,
    release: plan.release,
    phase: plan.phase,
    work: workOf(plan),
  };
}

/** Whether the same work was finished between our first look and our turn. */
function isDoneMeanwhile(seen: FenceRow | undefined, row: FenceRow, { work }: Claim): boolean {
  if (row.state !== 'done' || row.work !== work) return false;
  return seen === undefined || row.token > seen.token || seen.state !== 'done';
}

function explainUnknownDatabase(error: unknown): never {
  if (errnoOf((error as Error).cause) !== UNKNOWN_DATABASE) throw error;
  throw new UnavailableError(`${messageOf(error)}; it is made when --admin-user is given`, { cause: error });
}
