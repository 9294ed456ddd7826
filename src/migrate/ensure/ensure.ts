import type { Log } from '../../core/log.ts';
import {
  mysqlError,
  quoteAccount,
  quoteName,
  quotePattern,
  quoteText,
  type MysqlSession,
  type MysqlTarget,
} from '../../mysql/index.ts';
import { accountAt, accountsOf, grantsOf, hasGrant, type Account } from './accounts.ts';
import type { EnsureOptions, Requirement } from '../options/ensure.ts';
import { repeated } from '../fence/repeated.ts';

/** Host patterns of accounts that existed before, possibly with another password. */
interface Ensured {
  readonly existed: readonly string[];
}

/**
 * Creates the service's database, accounts and grants where missing. Existing objects are not changed: neither charset
 * nor password, and TLS requirements only on request. It reads before it writes, because on Galera each of these
 * statements briefly blocks all writers, even without effect.
 * @throws mysqlError() that names the object being created
 */
export async function ensure(
  admin: MysqlSession,
  { database, user, password }: MysqlTarget,
  options: EnsureOptions,
  log: Log,
): Promise<Ensured> {
  const did: string[] = [];
  if (await makeDatabase(admin, database, options, log)) did.push(`database ${database} created`);
  const accounts = await orSay(`read accounts of ${user}`, () => accountsOf(admin, user));
  const existed: string[] = [];
  for (const host of options.accountHost) {
    const account = quoteAccount(user, host);
    const found = accounts === undefined ? undefined : accountAt(accounts, host);
    const isNew = found === undefined && (await makeAccount(admin, account, password, options.require));
    if (isNew) did.push(`account ${account} created`);
    else existed.push(host);
    if (found !== undefined && (await alterRequirement(admin, account, found, options.require))) {
      did.push(`account ${account} altered to REQUIRE ${options.require}, from ${found.require}`);
    }
    if (await grant(admin, account, database)) did.push(`${account} granted everything in ${database}`);
  }
  const are = `database ${database}, ${options.accountHost.map((host) => quoteAccount(user, host)).join(', ')} and grants`;
  log.info(did.length === 0 ? `${are} are up to date: nothing was changed` : did.join('; '));
  return { existed };
}

async function makeDatabase(admin: MysqlSession, database: string, options: EnsureOptions, log: Log): Promise<boolean> {
  const { charset, collation } = options;
  const [row] = await orSay(`find database ${database}`, () =>
    admin.rows(
      `SELECT DEFAULT_CHARACTER_SET_NAME AS charset, DEFAULT_COLLATION_NAME AS collation
       FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?`,
      [database],
    ),
  );
  if (row !== undefined) {
    const found = [row['charset'], row['collation']].map(String).join(', ');
    if (modern(found) !== modern(`${charset}, ${collation}`)) {
      log.info(`database ${database} has ${found}, not ${charset}, ${collation}: not changed`);
    }
    return false;
  }
  return await run(admin, `create database ${database}`, [
    `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`,
    `CHARACTER SET ${quoteName(charset)} COLLATE ${quoteName(collation)}`,
  ]);
}

async function makeAccount(admin: MysqlSession, account: string, password: string, require?: Requirement) {
  return await run(admin, `create account ${account}`, [
    `CREATE USER IF NOT EXISTS ${account} IDENTIFIED BY ${quoteText(password)}`,
    ...(require === undefined ? [] : [`REQUIRE ${require}`]),
  ]);
}

async function alterRequirement(admin: MysqlSession, account: string, found: Account, require?: Requirement) {
  if (require === undefined || found.require === require) return false;
  await run(admin, `alter account ${account}`, [`ALTER USER ${account} REQUIRE ${require}`]);
  return true;
}

/** Grants again if the admin may not read the grants, which does no harm. */
async function grant(admin: MysqlSession, account: string, database: string): Promise<boolean> {
  const there = await orSay(`read grants of ${account}`, () => grantsOf(admin, account));
  if (hasGrant(there, database)) return false;
  await run(admin, `grant ${account} everything in database ${database}`, [
    `GRANT ALL PRIVILEGES ON ${quotePattern(database)}.* TO ${account}`,
  ]);
  return true;
}

/** Sets the password of existing accounts. */
export async function setPassword(admin: MysqlSession, user: string, hosts: readonly string[], password: string) {
  for (const host of hosts) {
    const account = quoteAccount(user, host);
    await run(admin, `set the password of ${account}`, [`ALTER USER ${account} IDENTIFIED BY ${quoteText(password)}`]);
  }
}

/** IF NOT EXISTS gives a warning (1007, 1973) if another client was faster. */
async function run(admin: MysqlSession, doing: string, words: readonly string[]): Promise<boolean> {
  const { warnings } = await orSay(doing, () => admin.change(words.join(' ')));
  return warnings === 0;
}

/** Retries for a while if Galera rolled the statement back. */
async function orSay<T>(doing: string, statement: () => Promise<T>): Promise<T> {
  try {
    return await repeated(statement);
  } catch (error) {
    throw mysqlError(doing, error);
  }
}

/** Newer servers call the charset `utf8` of older ones `utf8mb3`. */
function modern(words: string): string {
  return words.replaceAll(/\butf8(?=[_,])/g, 'utf8mb3');
}
