import { connectReason } from '../net/dial/connect-error.ts';
import { ResponseTooLargeError } from '../net/dial/too-large.ts';
import { KollaError, NotPermittedError, UnavailableError, messageOf } from '../core/errors.ts';

/** The server's error number; 0 for other errors. */
export function errnoOf(error: unknown): number {
  const errno = (error as { errno?: unknown } | undefined)?.errno;
  return typeof errno === 'number' && errno >= 1000 ? errno : 0;
}

export const ACCESS_DENIED = 1045;
export const UNKNOWN_DATABASE = 1049;
export const NO_SUCH_TABLE = 1146;
export const DATABASE_DENIED = 1044;
/**
 * Denials: missing privileges for KILL, a command, a table, a column, SUPER and others; account locked or its password
 * expired; TLS required.
 */
const DENIED = new Set([ACCESS_DENIED, DATABASE_DENIED, 1095, 1142, 1143, 1227, 1410, 1820, 1862, 3118, 3159, 4151]);
/** Transient errors: too many connections, shutting down, killed, connection lost, and Galera's "not prepared". */
const PASSING = new Set([1040, 1047, 1053, 1077, 1079, 1129, 1152, 1203, 1205, 1213, 1226, 1317, 1927, 2006, 2013]);
const PASSING_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'PROTOCOL_CONNECTION_LOST',
]);

/** Whether a retry may succeed: the server is down, full, starting or stopping. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ResponseTooLargeError) return false;
  const { code, fatal } = error as { code?: string; fatal?: boolean };
  const errno = errnoOf(error);
  if (errno !== 0) return PASSING.has(errno);
  return PASSING_CODES.has(code ?? '') || (fatal === true && code === undefined);
}

/**
 * Transient rollbacks: deadlock or Galera's certification conflict, lock wait timeout, MariaDB's "record has changed
 * since last read", no quorum, and a commit without quorum.
 */
const UNDONE = new Set([1213, 1205, 1020, 1047, 1180]);

/** Whether the server rolled back or never ran the statement for a transient reason; the session continues. */
export function isUndone(error: unknown): boolean {
  return UNDONE.has(errnoOf(error));
}

/** Whether the server denies access. */
export function isDenied(error: unknown): boolean {
  return DENIED.has(errnoOf(error));
}

/** Whether it is an error of the server or the connection and not a bug. */
export function isMysqlError(error: unknown): boolean {
  const isFatal = error instanceof ResponseTooLargeError || (error as { fatal?: boolean }).fatal === true;
  return isFatal || errnoOf(error) !== 0 || isPassing(error);
}

/** The error as the server or the system reports it. Codes are followed by their meaning. */
export function reasonOf(error: unknown): string {
  const { code } = error as { code?: string };
  const refused = connectReason(error);
  if (refused !== undefined) return refused;
  if (code === 'PROTOCOL_CONNECTION_LOST') return 'the server closed the connection';
  const errno = errnoOf(error);
  const text = error instanceof AggregateError ? messageOf(error.errors[0]) : messageOf(error);
  const said = (error as { sqlMessage?: string }).sqlMessage ?? text;
  const hint = hintOf(errno, said);
  return `${errno === 0 ? text : `error ${errno}: ${said}`}${hint === undefined ? '' : `; ${hint}`}`;
}

/**
 * A server's error as one of ours: 77 for missing privileges, else 69.
 * @param doing the action, worded to follow "cannot": `create database keystone on mariadb:3306`
 */
export function mysqlError(doing: string, error: unknown): KollaError {
  if (error instanceof KollaError) return error;
  const message = `cannot ${doing}: ${reasonOf(error)}`;
  return isDenied(error)
    ? new NotPermittedError(message, { cause: error })
    : new UnavailableError(message, { cause: error });
}

interface Hint {
  readonly errnos: readonly number[];
  /** Text that the server's message must contain if the number is ambiguous. */
  readonly text?: RegExp;
  readonly means: string;
}

const HINTS: readonly Hint[] = [
  {
    errnos: [1290, 1836],
    text: /read[-_ ]only/i,
    means:
      'the server is read-only (read_only): it is a replica, or was configured so. Use the primary, or ' +
      'SET GLOBAL read_only=0 there',
  },
  {
    errnos: [3159],
    means: 'the server requires TLS for all accounts; add ssl_ca=FILE to the database URL, or give --tls',
  },
  {
    errnos: [1419],
    means: 'triggers need SET GLOBAL log_bin_trust_function_creators=1 where the server writes a binary log',
  },
  {
    errnos: [1005],
    text: /errno: 150\b/,
    means:
      'the columns of a foreign key have different types or collations. MariaDB 11.5 and later give a new table with ' +
      "CHARSET=utf8 another collation than older ones did: SET GLOBAL character_set_collations = '' (in my.cnf: " +
      "loose_character_set_collations = ''), drop what the revision has created, and run it again",
  },
];

const FULL_ERRNOS = new Set([1021, 1114]);
const FULL_TEXT = /no space left|err(?:no|code)?:? "?28\b|is full|no more room/i;
const FULL =
  "the disk of the server's data or temporary files is full: make room there. What it had started may be partially applied";

/**
 * The meaning and fix of a server's error; undefined if its text is sufficient.
 * @param text the message of the server
 */
export function hintOf(errno: number, text: string): string | undefined {
  if (FULL_ERRNOS.has(errno) || FULL_TEXT.test(text)) return FULL;
  return HINTS.find((hint) => hint.errnos.includes(errno) && hint.text?.test(text) !== false)?.means;
}
