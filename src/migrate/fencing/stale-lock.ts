import type { Log } from '../../core/log.ts';
import type { MysqlSession } from '../../mysql/index.ts';
import type { FenceRow } from '../lock/fence.ts';
import { killSession, nameOf } from './sessions.ts';
import { readTrace } from './trace.ts';

/**
 * Ends the session that holds the server's lock for a migrator whose lease has passed: it is frozen, or its machine is
 * gone and the server has not heard of that, which may take two hours. Only when it is the very session that the
 * migrator has written into the row: one that has only just got the lock stays.
 * @param row not renewed for a lease
 */
export async function breakStaleLock(session: MysqlSession, name: string, row: FenceRow, log: Log): Promise<void> {
  const { token, lockSession } = await readTrace(session);
  if (row.state !== 'running' || token !== row.token) return;
  const [used] = await session.rows('SELECT IS_USED_LOCK(?) AS id', [name]);
  const id = Number(used?.['id'] ?? 0);
  if (id === 0 || (await nameOf(session, id)) !== lockSession) return;
  log.warn(`ending the session of ${row.holder}, which has the lock and has not renewed it: it is frozen, or gone`);
  await killSession(session, id);
}
