import { isIP, type Socket } from 'node:net';
import type { Connection, ConnectionOptions, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { loginFor, unknownPlugin } from './login.ts';
import type { MysqlSession } from './session.ts';
import { isBrokenOff, tlsError } from './tls-errors.ts';
import { tlsMaterial } from './tls-files.ts';
import { defined } from '../core/defined.ts';
import { dial } from '../net/dial/dial.ts';
import { ResponseTooLargeError } from '../net/dial/too-large.ts';
import { placeOfTarget, type MysqlTarget } from './url.ts';

interface ConnectOptions {
  readonly signal: AbortSignal;
  /** Timeout of the whole handshake, because a frozen server accepts the connection and never sends its greeting. */
  readonly handshakeMs?: number;
  /** Timeout of each statement that does not set its own. */
  readonly statementMs?: number;
  /** The database to select; undefined for none. */
  readonly database?: string | undefined;
}

const HANDSHAKE_MS = 10_000;
const STATEMENT_MS = 60_000;
const GOODBYE_MS = 1000;
/** Maximum size of a handshake, and of a statement's result: ours have a few KiB. */
const RESPONSE_MAX_BYTES = 16 * 2 ** 20;
const COUNT_MS = 50;

/**
 * The same rules in every session, whatever the server's defaults: backslash escapes (quoteText relies on it), an error
 * for values that do not fit, times in UTC, and no statement timeout (max_statement_time is MariaDB's).
 */
const SESSION_RULES = `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', autocommit = 1
  /*M!100100 , max_statement_time = 0 */`;

/**
 * Opens a session. The deadline and `signal` abort it at any point; later only statements' deadlines and `lost` end it.
 * @throws what mysql2 or the system throws (see isPassing and mysqlError); ConfigError for TLS files; UnavailableError
 * and NotPermittedError for a failed TLS handshake; UnavailableError for an account with another plugin, and for an
 * unverified server that requests the password itself; ResponseTooLargeError
 */
export async function connect(target: MysqlTarget, options: ConnectOptions): Promise<MysqlSession> {
  const { signal, handshakeMs = HANDSHAKE_MS, statementMs = STATEMENT_MS } = options;
  const ssl = sslOf(target);
  const { createConnection } = await import('mysql2/promise');
  using limit = timeLimit(signal, handshakeMs);
  const socket = await dial(target.socket === undefined ? target : { path: target.socket }, limit.signal);
  if (target.socket === undefined) socket.setNoDelay(true).setKeepAlive(true, 10_000);
  if (target.socket === undefined) rememberAddress(socket, target.host);
  const descriptor = descriptorOf(socket);
  const stop = () => socket.destroy(limit.signal.reason as Error);
  limit.signal.addEventListener('abort', stop, { once: true });
  using size = sizeLimit(socket);
  const login = loginFor(target);
  try {
    const connection = await createConnection({
      stream: socket,
      host: target.host,
      user: target.user,
      ...login.options,
      ...defined({ database: options.database, ssl }),
      // limit.signal has the deadline of the whole.
      connectTimeout: 0,
      charset: 'UTF8MB4_GENERAL_CI',
      // Affected rows must be changed rows, not matched ones, because they decide about the fence.
      flags: ['-FOUND_ROWS'],
      supportBigNumbers: true,
      dateStrings: true,
    } satisfies ConnectionOptions);
    const session = sessionOn(connection, socket, descriptor, statementMs);
    await session.change(SESSION_RULES, [], handshakeMs);
    return session;
  } catch (error) {
    socket.destroy();
    if (limit.signal.aborted) throw limit.signal.reason;
    if (size.error !== undefined) throw size.error;
    const refusal = login.refusal();
    if (refusal) throw refusal;
    if (isBrokenOff(error)) throw Object.assign(error as Error, { code: 'PROTOCOL_CONNECTION_LOST' });
    throw unknownPlugin(error, target) ?? tlsError(error, target) ?? error;
  } finally {
    limit.signal.removeEventListener('abort', stop);
  }
}

/** A signal that aborts with `signal`, or after a time with the system's code for it. */
function timeLimit(signal: AbortSignal, ms: number) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(timedOut(ms)), ms);
  return { signal: AbortSignal.any([signal, late.signal]), [Symbol.dispose]: () => clearTimeout(timer) };
}

/**
 * Closes the connection if a response exceeds the limit. mysql2 has none: it holds a packet of up to 1 GiB, and all rows
 * of a result. The bytes are counted at intervals, because with TLS they reach no listener of the socket.
 */
function sizeLimit(socket: Socket) {
  const before = socket.bytesRead;
  const limit = {
    /** Set if the limit was exceeded; mysql2 reports only that the connection is closed. */
    error: undefined as Error | undefined,
    [Symbol.dispose]: () => clearInterval(timer),
  };
  const timer = setInterval(() => {
    if (socket.bytesRead - before <= RESPONSE_MAX_BYTES) return;
    limit.error = new ResponseTooLargeError(RESPONSE_MAX_BYTES);
    socket.destroy(limit.error);
  }, COUNT_MS);
  return limit;
}

/**
 * Node has no public API for the descriptor (docs/adr/0014). It is read before TLS wraps the socket, and never changes.
 */
function descriptorOf(socket: Socket): number {
  // eslint-disable-next-line no-underscore-dangle
  return (socket as { _handle?: { fd?: number } })._handle?.fd ?? -1;
}

function sessionOn(connection: Connection, socket: Socket, descriptor: number, statementMs: number): MysqlSession {
  const lost = new AbortController();
  const lose = (error?: Error) => lost.abort(error ?? Object.assign(new Error(), { code: 'PROTOCOL_CONNECTION_LOST' }));
  let isOver = false;
  connection.on('error', lose);
  socket.once('close', () => {
    if (!isOver) lose();
  });
  const query = async (sql: string, parameters: readonly unknown[] = [], timeoutMs = statementMs): Promise<unknown> => {
    lost.signal.throwIfAborted();
    const timer = setTimeout(() => socket.destroy(timedOut(timeoutMs)), timeoutMs);
    using size = sizeLimit(socket);
    try {
      const [result] = await connection.query(sql, [...parameters]);
      return result;
    } catch (error) {
      throw size.error ?? error;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    id: connection.threadId,
    descriptor,
    localAddress: socket.localAddress,
    lost: lost.signal,
    rows: async (...args) => (await query(...args)) as RowDataPacket[],
    change: async (...args) => {
      const { affectedRows, warningStatus } = (await query(...args)) as ResultSetHeader;
      return { changed: affectedRows, warnings: warningStatus };
    },
    destroy: () => {
      isOver = true;
      socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      if (lost.signal.aborted) return;
      const timer = setTimeout(() => socket.destroy(), GOODBYE_MS);
      await connection.end().catch(() => socket.destroy());
      clearTimeout(timer);
    },
  };
}

function timedOut(ms: number): Error {
  return Object.assign(new Error(`no response in ${ms} ms`), { code: 'ETIMEDOUT' });
}

/** TLS options for mysql2. The server's name is not verified on a Unix socket, which can lead to only one server. */
function sslOf({ tls, socket }: MysqlTarget) {
  if (tls === undefined) return undefined;
  const verifyIdentity = tls.verifyIdentity && socket === undefined;
  return { ...tlsMaterial(tls), rejectUnauthorized: tls.isVerified, verifyIdentity };
}

/**
 * Node remembers the name of a socket's host, but not an address, and mysql2 passes only names to TLS: an address would
 * be verified as `localhost`.
 */
function rememberAddress(socket: Socket, host: string): void {
  // eslint-disable-next-line no-underscore-dangle
  if (isIP(host) !== 0) (socket as { _host?: string })._host = host;
}

/** The session's name in messages: `keystone@mariadb:3306`. */
export function whoAndWhere(target: MysqlTarget): string {
  return `${target.user}@${placeOfTarget(target)}`;
}
