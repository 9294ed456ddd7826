/**
 * MySQL and MariaDB.
 *
 *   SQLAlchemy URL -> target { host, port, socket, user, password, database, tls } -> session -> rows, changes
 *
 * A session is bounded everywhere: its handshake, each statement, its goodbye. mysql2 is loaded by the first connect().
 * What can fail: RangeError for a URL that is none; ConfigError for TLS files; UnavailableError and NotPermittedError
 * where TLS ends the handshake; and the server's own errors, which isPassing() tells apart and mysqlError() turns into a
 * sentence without secrets.
 */
export { connect, whoAndWhere, type MysqlSession } from './connect.ts';
export {
  ACCESS_DENIED,
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
export type { MysqlTls } from './url-tls.ts';
