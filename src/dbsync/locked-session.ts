import { UnavailableError, messageOf } from '../cli/errors.ts';
import {
  UNKNOWN_DATABASE,
  errnoOf,
  isPassing,
  mysqlError,
  reasonOf,
  type MysqlSession,
} from '../platform/mysql/index.ts';
import { createFence, readFence, type FenceRow } from './fence.ts';
import { lockNameOf, takeLock } from './lock.ts';
import type { Effects, Plan } from './plan.ts';
import { reach } from './reach.ts';
import { statusLine } from './status-line.ts';

export interface Locked {
  readonly session: MysqlSession;
  readonly lockName: string;
  /** The fence as it stood before we waited, and as it stands now. */
  readonly seen: FenceRow | undefined;
  readonly row: FenceRow | undefined;
}

/** A session with the lock. A server that goes away meanwhile is waited for again. */
export async function lockedSession(plan: Plan, { signal, log }: Effects): Promise<Locked> {
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
  return `${row.holder} has been migrating ${row.service}${release} (${row.phase}) since ${row.started} UTC, token ${row.token}`;
}
