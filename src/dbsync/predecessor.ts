import { formatDuration } from '../cli/duration.ts';
import { DeadlineError } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { pause } from '../platform/backoff.ts';
import type { MysqlSession } from '../platform/mysql/index.ts';
import type { FenceRow } from './fence.ts';
import { STOP_MS } from './guarded-child.ts';
import { OUR_MARK } from './lock.ts';
import type { Reached } from './reach.ts';
import { statusLine } from './status-line.ts';

/**
 * One that lost the lock although it lives (an administrator's KILL, a server's restart) sees that at once, and its
 * command is gone after STOP_MS; this much more for a machine under load.
 */
const HANDOVER_MS = STOP_MS + 3000;
const POLL_MS = 1000;

export interface HandoverOptions {
  readonly user: string;
  readonly database: string;
  /** By performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Makes sure that a migration that was cut off writes nothing any more: its command has had the time to be stopped,
 * and the statements that its dead sessions left running in the server (an ALTER goes on without its client) are over.
 * Nothing is killed: such a statement can't be told from one of the live service, which has the same account.
 * @throws DeadlineError with the statements that still run
 */
export async function awaitPredecessor(session: Reached, before: FenceRow, options: HandoverOptions): Promise<void> {
  const { deadline, log } = options;
  const signal = AbortSignal.any([options.signal, session.lost]);
  log.warn(`the migration before was cut off: ${before.holder}, begun ${before.started} UTC, token ${before.token}`);
  // On Galera a lease has passed, and with it this time.
  if (!session.isGalera) {
    log.info(`waiting ${formatDuration(HANDOVER_MS)}, in which its command is stopped if it still runs`);
    await pause(HANDOVER_MS, signal);
  }
  const say = statusLine(log);
  // A dead client begins no statement: what was not there at first look is the live service's.
  let left = await statements(session, options);
  while (left.length > 0) {
    const list = left.map(({ id, seconds, text }) => `session ${id} for ${seconds} s: ${text}`).join('; ');
    if (performance.now() > deadline) {
      throw new DeadlineError(`statements of the migration before may still run (KILL them if they are its): ${list}`);
    }
    say(`waiting for ${left.length} running statement(s) of ${options.user} in ${options.database}`);
    await pause(POLL_MS, signal);
    const now = await statements(session, options);
    left = left.filter((old) => now.some(({ id, text }) => id === old.id && text === old.text));
  }
}

interface Statement {
  readonly id: number;
  readonly seconds: number;
  readonly text: string;
}

async function statements(session: MysqlSession, { user, database }: HandoverOptions): Promise<Statement[]> {
  const rows = await session.rows(
    `SELECT ID AS id, TIME AS seconds, LEFT(COALESCE(INFO, STATE), 80) AS text FROM information_schema.PROCESSLIST
     WHERE USER = ? AND DB = ? AND ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon')
       AND COALESCE(INFO, '') NOT LIKE ?`,
    [user, database, `%${OUR_MARK}%`],
  );
  return rows as unknown as Statement[];
}
