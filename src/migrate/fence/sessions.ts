import { errnoOf, type MysqlSession } from '../../mysql/index.ts';

/** A session on one node, taken from its process list. */
export interface SeenSession {
  /** The server's host name and port. Session numbers are unique only within a node. */
  readonly node: string;
  readonly id: number;
  /** The client's address without the port: `10.0.0.7`, `localhost`. */
  readonly client: string;
  /** Whether the session is idle. */
  readonly isIdle: boolean;
  /** Seconds for which the session has been in the current state. */
  readonly seconds: number;
  /** The session's statement, with values hidden. */
  readonly text: string;
}

/** "Not supported yet": some MariaDB releases reject GET_LOCK on Galera (MDEV-30473). */
const REFUSED = 1235;
const NO_SUCH_SESSION = 1094;
const LONGEST_TEXT = 80;
/** Length of a statement that is enough to hide its values before it is truncated. */
const READ_TEXT = 400;

/**
 * Each of our sessions holds a lock with this name plus the session's number, which shows other migrators that the
 * session does not belong to a migration's command.
 */
const MARK = 'kolla-db-sync:session:';

/**
 * Marks a session as kolla-db-sync's own. If the server rejects that, the session stays unmarked and counts as a
 * migration's.
 */
export async function markSession(session: MysqlSession, timeoutMs: number): Promise<void> {
  try {
    await session.rows(`SELECT GET_LOCK('${MARK}${session.id}', 0)`, [], timeoutMs);
  } catch (error) {
    if (errnoOf(error) !== REFUSED) throw error;
  }
}

/** The sessions of an account on the session's node, except kolla-db-sync's own. */
export async function sessionsOf(session: MysqlSession, user: string): Promise<SeenSession[]> {
  const read = (isOurs: string) =>
    session.rows(
      `SELECT CONCAT(@@hostname, ':', @@port) AS node, ID AS id, HOST AS host, COMMAND AS command, TIME AS seconds,
         LEFT(COALESCE(INFO, STATE, ''), ${READ_TEXT}) AS text
       FROM information_schema.PROCESSLIST WHERE USER = ? AND ID <> CONNECTION_ID() AND NOT ${isOurs}`,
      [user],
    );
  const rows = await read(`COALESCE(IS_USED_LOCK(CONCAT('${MARK}', ID)) = ID, 0)`).catch((error: unknown) => {
    if (errnoOf(error) === REFUSED) return read('0');
    throw error;
  });
  return rows.map((row) => {
    const { node, id, host, command, seconds, text } = row as Record<string, string> & { id: number; seconds: number };
    return {
      node: node ?? '',
      id,
      client: clientOf(host ?? ''),
      isIdle: command === 'Sleep',
      seconds,
      text: withoutValues(text ?? ''),
    };
  });
}

/** This session's client address as the server sees it, without the port. */
export async function ownClient(session: MysqlSession): Promise<string> {
  const [row] = await session.rows(
    'SELECT HOST AS host FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()',
  );
  return clientOf((row?.['host'] as string | undefined) ?? '');
}

/** The session's node and its number there, which together are unique. */
export async function nameOf(session: MysqlSession, id: number = session.id): Promise<string> {
  const [row] = await session.rows("SELECT CONCAT(@@hostname, ':', @@port) AS node");
  return `${row?.['node'] as string}/${id}`;
}

/**
 * Kills a session on its node. A session that has already ended is not an error. An account may kill its own sessions.
 */
export async function killSession(session: MysqlSession, id: number): Promise<void> {
  try {
    await session.change(`KILL ${id}`);
  } catch (error) {
    if (errnoOf(error) !== NO_SUCH_SESSION) throw error;
  }
}

/** The sessions as a list for messages: node, number, address, duration, statement. */
export function listOf(sessions: readonly SeenSession[]): string {
  return sessions
    .map(({ node, id, client, isIdle, seconds, text }) => {
      const does = isIdle ? 'idle' : text === '' ? 'busy' : text;
      return `session ${id} on ${node} from ${client}, ${does} for ${seconds} s`;
    })
    .join('; ');
}

/** The address without its port: `10.0.0.7:51234` or `fd00::7:51234`. */
function clientOf(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** A statement may contain a secret. */
function withoutValues(statement: string): string {
  const hidden = statement.replaceAll(/'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?/g, "'?'").replaceAll(/\s+/g, ' ');
  return hidden.length <= LONGEST_TEXT ? hidden : `${hidden.slice(0, LONGEST_TEXT)}...`;
}
