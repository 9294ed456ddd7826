import { UnavailableError } from '../../core/errors.ts';
import { NO_SUCH_TABLE, errnoOf, type MysqlSession } from '../../mysql/index.ts';
import { oneLine } from '../../core/one-line.ts';
import type { Log } from '../../core/log.ts';
import { FENCE_NAME, FENCE_TABLE, type FenceRow } from '../fence/fence.ts';
import { repeated } from '../fence/repeated.ts';
import { isAccountName } from '../fence/account.ts';
import { killSession, nameOf } from '../fence/sessions.ts';

/**
 * What distinguishes a migration's sessions from the live service's, which may use the same account. After a takeover
 * it stays in the fence row until the successor has ended those sessions.
 */
export interface Trace {
  /** The account that was created for the migration; empty if it runs as the service's own account. */
  readonly account: string;
  /** Accounts of older migrations that still exist as definers of objects. */
  readonly kept: readonly string[];
  /**
   * The migration's client address as the server sees it; empty if no command was started, or if all commands are known
   * to have exited.
   */
  readonly client: string;
  /** The session that holds the server's lock for the migration, as its node and its number there. */
  readonly lockSession: string;
  /** Whether the migration was the only client at that address when it started. */
  readonly isAlone: boolean;
}

/** The trace that an earlier migration has left. */
export interface Left extends Trace {
  /** The token under which the trace was written; 0 if none was. */
  readonly token: number;
}

const NOTHING: Left = { account: '', kept: [], client: '', lockSession: '', isAlone: false, token: 0 };

/** The traces of previous migrations. */
export async function readTrace(session: MysqlSession): Promise<Left> {
  const read = () =>
    session.rows(
      `SELECT account, kept, client, lock_session AS lockSession, is_alone AS isAlone, trace_token AS token FROM ${FENCE_TABLE} WHERE name = ?`,
      [FENCE_NAME],
    );
  try {
    const [row] = await repeated(read);
    if (row === undefined) return NOTHING;
    const { kept, isAlone, ...rest } = row as unknown as Omit<Left, 'kept' | 'isAlone'> & {
      kept: string;
      isAlone: number;
    };
    if (rest.account !== '' && !isAccountName(rest.account)) throw edited('account', rest.account);
    return { ...rest, kept: namesIn(kept), isAlone: isAlone === 1 };
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return NOTHING;
    throw error;
  }
}

function namesIn(kept: string): string[] {
  if (kept === '') return [];
  const names = parsed(kept);
  if (!Array.isArray(names) || !names.every(isAccountName)) throw edited('kept', kept);
  return names;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param whose which migration it should be of, worded to follow "of a migration" */
export function edited(column: 'account' | 'kept', value: string, whose = ''): UnavailableError {
  return new UnavailableError(
    `${FENCE_TABLE} was edited: its ${column} is '${oneLine(value)}', which is not an account of a ` +
      `migration${whose}. Make sure that no migration runs, then UPDATE ${FENCE_TABLE} SET ${column} = ''`,
  );
}

/** Writes our trace before an account or a command exists. Returns false if the fence is no longer ours. */
export async function writeTrace(
  session: MysqlSession,
  token: number,
  { account, kept, client, lockSession, isAlone }: Trace,
): Promise<boolean> {
  const names = kept.length === 0 ? '' : JSON.stringify(kept);
  // The timestamp makes this a change even if everything else is equal, because the result is judged by affected rows.
  const { changed } = await repeated(() =>
    session.change(
      `UPDATE ${FENCE_TABLE} SET account = ?, kept = ?, client = ?, lock_session = ?, is_alone = ?, trace_token = token,
         renewed = GREATEST(NOW(3), renewed + INTERVAL 1000 MICROSECOND)
       WHERE name = ? AND token = ? AND state = 'running'`,
      [account, names, client, lockSession, isAlone ? 1 : 0, FENCE_NAME, token],
    ),
  );
  return changed === 1;
}

/**
 * Records that our account was dropped or kept, after our migration has ended. Does nothing if a later token has the
 * fence.
 */
export async function forgetAccount(session: MysqlSession, token: number, kept: readonly string[]): Promise<void> {
  const names = kept.length === 0 ? '' : JSON.stringify(kept);
  await repeated(() =>
    session.change(`UPDATE ${FENCE_TABLE} SET account = '', kept = ?, client = '' WHERE name = ? AND token = ?`, [
      names,
      FENCE_NAME,
      token,
    ]),
  );
}

/**
 * Kills the session that holds the server's lock for a migrator whose lease has expired: it is frozen, or its machine
 * is gone without the server noticing, which may take two hours. Only if it is the session recorded in the row: a
 * session that has just acquired the lock is kept.
 * @param row the fence, which was not renewed for a whole lease
 */
export async function breakStaleLock(session: MysqlSession, name: string, row: FenceRow, log: Log): Promise<void> {
  const { token, lockSession } = await readTrace(session);
  if (row.state !== 'running' || token !== row.token) return;
  const [used] = await session.rows('SELECT IS_USED_LOCK(?) AS id', [name]);
  const id = Number(used?.['id'] ?? 0);
  if (id === 0 || (await nameOf(session, id)) !== lockSession) return;
  log.warn(`killing the session of ${row.holder}, which has the lock and has not renewed it: it is frozen or dead`);
  await killSession(session, id);
}
