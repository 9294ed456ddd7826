import { formatDuration } from '../cli/duration.ts';
import { DeadlineError } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { pause } from '../platform/backoff.ts';
import { isPassing, reasonOf, type MysqlSession, type MysqlTarget } from '../platform/mysql/index.ts';
import type { FenceRow } from './fence.ts';
import { STOP_MS } from './guarded-child.ts';
import { OUR_MARK } from './lock.ts';
import { otherNodes } from './other-nodes.ts';
import type { Reached } from './reach.ts';
import { statusLine } from './status-line.ts';

/**
 * One that lost the lock although it lives (an administrator's KILL, a server's restart) sees that at once, and its
 * command is gone after STOP_MS; this much more for a machine under load.
 */
const HANDOVER_MS = STOP_MS + 3000;
const POLL_MS = 1000;

export interface HandoverOptions {
  readonly target: MysqlTarget;
  /** By performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Makes sure that a migration that was cut off writes nothing any more: its command has had the time to be stopped,
 * and the statements that its dead sessions left running in the server (an ALTER goes on without its client) are over,
 * on Galera on each node. Nothing is killed: such a statement can't be told from one of the live service, which has the
 * same account.
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
  await using nodes = new AsyncDisposableStack();
  const sessions = [session as MysqlSession];
  if (session.isGalera) {
    const others = await otherNodes(session, options.target, { signal, log });
    for (const other of others) sessions.push(nodes.use(other));
  }
  const running = async () => (await Promise.all(sessions.map((each) => statementsOn(each, session, options)))).flat();
  const say = statusLine(log);
  const { user, database } = options.target;
  // A dead client begins no statement: what was not there at first look is the live service's.
  let left = await running();
  while (left.length > 0) {
    const list = left
      .map(({ node, id, seconds, text }) => `session ${id} on ${node} for ${seconds} s: ${text}`)
      .join('; ');
    if (performance.now() > deadline) {
      throw new DeadlineError(`statements of the migration before may still run (KILL them if they are its): ${list}`);
    }
    say(`waiting for ${left.length} running statement(s) of ${user} in ${database}`);
    await pause(POLL_MS, signal);
    const now = await running();
    left = left.filter((old) => now.some((one) => one.node === old.node && one.id === old.id && one.text === old.text));
  }
}

interface Statement {
  /** The server's name for its host and its port: session numbers are its own. */
  readonly node: string;
  readonly id: number;
  readonly seconds: number;
  readonly text: string;
}

/** What runs on a node; nothing on another than ours that went away: what it had not committed is undone. */
async function statementsOn(node: MysqlSession, own: Reached, { target, log }: HandoverOptions): Promise<Statement[]> {
  try {
    return node.lost.aborted ? [] : await statements(node, target);
  } catch (error) {
    if (node === own || !isPassing(error)) throw error;
    log.warn(`a node went away while its statements were looked at: ${reasonOf(error)}`);
    return [];
  }
}

async function statements(session: MysqlSession, { user, database }: MysqlTarget): Promise<Statement[]> {
  const rows = await session.rows(
    `SELECT CONCAT(@@hostname, ':', @@port) AS node, ID AS id, TIME AS seconds, LEFT(COALESCE(INFO, STATE), 80) AS text FROM information_schema.PROCESSLIST
     WHERE USER = ? AND DB = ? AND ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon')
       AND COALESCE(INFO, '') NOT LIKE ?`,
    [user, database, `%${OUR_MARK}%`],
  );
  return rows as unknown as Statement[];
}
