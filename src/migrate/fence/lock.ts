import { createHash } from 'node:crypto';
import { formatDuration } from '../../core/duration.ts';
import { DeadlineError, UnavailableError } from '../../core/errors.ts';
import { errnoOf, type MysqlSession } from '../../mysql/index.ts';
import { killSession } from './sessions.ts';

/** Marks our long-running statements in the process list. */
export const OUR_MARK = '/* kolla-db-sync */';

/**
 * Time for which one statement blocks in the server. No polling is needed, and between two statements a waiting
 * migrator can log whom it waits for.
 */
const BLOCK_SECONDS = 10;
/** Margin for a slow response after BLOCK_SECONDS. A frozen server must not block us forever. */
const ANSWER_MS = 30_000;
const LONGEST_NAME = 64;
/**
 * "Not supported yet": some MariaDB releases reject GET_LOCK on Galera (MDEV-30473), where a lock excludes only
 * sessions on the same node.
 */
const REFUSED = 1235;

/** The name of the server's lock for a database, within MySQL's limit of 64 characters. */
export function lockNameOf(database: string): string {
  const name = `kolla-db-sync:${database}`;
  if (name.length <= LONGEST_NAME) return name;
  return `kolla-db-sync:${createHash('sha256').update(database).digest('hex').slice(0, 32)}`;
}

interface LockOptions {
  /** Deadline in terms of performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /**
   * Called while another session has the lock, every few seconds at most. The returned text becomes part of the error
   * at the deadline.
   */
  readonly onWait: () => Promise<string>;
}

/**
 * Blocks in GET_LOCK until the lock is acquired. The server releases the lock when our session ends for any reason.
 * @returns whether another session had the lock before
 * @throws DeadlineError; the signal's reason, at once; the session's error if it is lost
 */
export async function takeLock(
  session: MysqlSession,
  name: string,
  options: LockOptions,
): Promise<{ waited: boolean }> {
  const { deadline, signal, onWait } = options;
  const began = performance.now();
  const stop = () => session.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (await getLock(session, name, 0)) return { waited: false };
    for (;;) {
      const holder = await onWait();
      const leftSeconds = Math.ceil((deadline - performance.now()) / 1000);
      if (leftSeconds <= 0) {
        const waited = formatDuration(performance.now() - began);
        throw new DeadlineError(`waited ${waited} for another migration of this database: ${holder}`);
      }
      if (await getLock(session, name, Math.min(BLOCK_SECONDS, leftSeconds))) return { waited: true };
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function getLock(session: MysqlSession, name: string, seconds: number): Promise<boolean> {
  const [row] = await unlessRefused(
    session.rows(`SELECT ${OUR_MARK} GET_LOCK(?, ?) AS got`, [name, seconds], seconds * 1000 + ANSWER_MS),
    { got: 1 },
  );
  const got = row?.['got'];
  if (got === null || got === undefined)
    throw new UnavailableError(`the server did not respond to GET_LOCK('${name}')`);
  return got === 1;
}

/** Whether this session still holds the lock. */
export async function holdsLock(session: MysqlSession, name: string, timeoutMs: number): Promise<boolean> {
  const [row] = await unlessRefused(
    session.rows('SELECT IS_USED_LOCK(?) = CONNECTION_ID() AS ours', [name], timeoutMs),
    { ours: 1 },
  );
  return row?.['ours'] === 1;
}

/**
 * Kills the session that holds the lock. Used when the holder's lease has expired: the holder is frozen, or partitioned
 * from us but not from the server. An account may kill its own sessions.
 * @returns the server's number of that session; undefined if no session holds the lock
 */
export async function endLockHolder(session: MysqlSession, name: string): Promise<number | undefined> {
  const [row] = await unlessRefused(session.rows('SELECT IS_USED_LOCK(?) AS id', [name]), { id: null });
  const id = (row?.['id'] ?? undefined) as number | undefined;
  if (id !== undefined) await killSession(session, id);
  return id;
}

export async function releaseLock(session: MysqlSession, name: string, timeoutMs?: number): Promise<void> {
  await unlessRefused(session.rows('SELECT RELEASE_LOCK(?)', [name], timeoutMs), {});
}

/** On a server without this lock, only the fence row decides. */
async function unlessRefused(
  asked: Promise<Record<string, unknown>[]>,
  instead: Record<string, unknown>,
): Promise<Record<string, unknown>[]> {
  try {
    return await asked;
  } catch (error) {
    if (errnoOf(error) === REFUSED) return [instead];
    throw error;
  }
}
