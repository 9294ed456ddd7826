/**
 * MySQL and MariaDB.
 *
 *   SQLAlchemy URL -> target { host, port, socket, user, password, database, tls } -> session -> rows, changes
 *
 * Every step of a session has a timeout: handshake, statements, close. mysql2 is loaded by the first connect(). Errors:
 * RangeError for an invalid URL; ConfigError for TLS files; UnavailableError and NotPermittedError for a failed TLS
 * handshake; and the server's errors, which isPassing() classifies and mysqlError() turns into a message without
 * secrets.
 */
export { connect, whoAndWhere } from './connect.ts';
export type { MysqlSession, RowSource } from './session.ts';
export {
  ACCESS_DENIED,
  DATABASE_DENIED,
  NO_SUCH_TABLE,
  UNKNOWN_DATABASE,
  errnoOf,
  isDenied,
  isMysqlError,
  isPassing,
  isUndone,
  mysqlError,
  reasonOf,
} from './errors.ts';
export { hintOf } from './errors.ts';
export {
  DONOR_POLICIES,
  galeraState,
  galeraSwitches,
  hasLeft,
  memberOf,
  membersBeside,
  otherNodes,
  whyUnusable,
  type DonorPolicy,
  type GaleraState,
  type GaleraSwitches,
} from './galera.ts';
export { quoteAccount, quoteName, quotePattern, quoteText } from './quote.ts';
export { parseMysqlUrl, placeOfTarget, placesOf, preferring, urlAs, urlAt, type MysqlTarget } from './url.ts';
export { mysqlTlsOf, type MysqlTls } from './url-tls.ts';
