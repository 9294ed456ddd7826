import type { Log } from '../cli/log.ts';
import {
  mysqlError,
  quoteAccount,
  quoteName,
  quotePattern,
  quoteText,
  type MysqlSession,
  type MysqlTarget,
} from '../platform/mysql/index.ts';
import { repeated } from './repeated.ts';

export interface EnsureOptions {
  readonly accountHost: string;
  readonly charset: string;
  readonly collation: string;
}

/**
 * Makes the service's database, account and grants where they are missing. What exists stays as it is: neither a
 * charset nor a password is changed.
 * @returns whether the account was there before, perhaps with another password
 */
export async function ensure(
  admin: MysqlSession,
  { database, user, password }: MysqlTarget,
  { accountHost, charset, collation }: EnsureOptions,
  log: Log,
): Promise<{ accountExisted: boolean }> {
  const account = quoteAccount(user, accountHost);
  // Each IF NOT EXISTS answers with a warning (1007, 1973) when there was nothing to do.
  const made = await run(admin, `create database ${database}`, [
    `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`,
    `CHARACTER SET ${quoteName(charset)} COLLATE ${quoteName(collation)}`,
  ]);
  if (!made) await noteCharset(admin, database, charset, log);
  const created = await run(admin, `create account ${account}`, [
    `CREATE USER IF NOT EXISTS ${account} IDENTIFIED BY ${quoteText(password)}`,
  ]);
  await run(admin, `grant ${account} everything in database ${database}`, [
    `GRANT ALL PRIVILEGES ON ${quotePattern(database)}.* TO ${account}`,
  ]);
  const said = (isNew: boolean) => (isNew ? 'made' : 'was there');
  log.info(`database ${database} ${said(made)}, account ${account} ${said(created)}, grants are in place`);
  return { accountExisted: !created };
}

async function run(admin: MysqlSession, doing: string, words: readonly string[]): Promise<boolean> {
  try {
    return (await repeated(() => admin.change(words.join(' ')))).warnings === 0;
  } catch (error) {
    throw mysqlError(doing, error);
  }
}

async function noteCharset(admin: MysqlSession, database: string, charset: string, log: Log): Promise<void> {
  const [row] = await admin.rows(
    'SELECT DEFAULT_CHARACTER_SET_NAME AS charset FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?',
    [database],
  );
  const found = row?.['charset'];
  if (typeof found !== 'string' || modern(found) === modern(charset)) return;
  log.info(`database ${database} has the character set ${found}, not ${charset}: left as it is`);
}

/** Servers of different age spell it differently. */
function modern(charset: string): string {
  return charset === 'utf8' ? 'utf8mb3' : charset;
}
