import { errnoOf, quotePattern, type MysqlSession } from '../../mysql/index.ts';
import type { Requirement } from '../options/ensure.ts';

/** An account on the server with the service's user name. */
export interface Account {
  readonly host: string;
  /** `specified` means a certificate of a specific issuer or subject. */
  readonly require: Requirement | 'specified';
}

const REQUIRE: Readonly<Record<string, Account['require']>> = { '': 'none', ANY: 'ssl', X509: 'x509' };
/** Errors that mean: no privilege to read a table, a column, a database, or another account's grants. */
const MAY_NOT_LOOK = new Set([1044, 1142, 1143, 1227]);
const NO_SUCH_GRANT = 1141;

/** The user's accounts, one per host pattern; undefined if the admin may not read them. */
export async function accountsOf(admin: MysqlSession, user: string): Promise<Account[] | undefined> {
  const rows = await unlessRefused(
    admin.rows('SELECT Host AS host, ssl_type AS type FROM mysql.user WHERE User = ? ORDER BY Host', [user]),
  );
  return rows?.map(({ host, type }) => ({ host: String(host), require: REQUIRE[String(type)] ?? 'specified' }));
}

/** The account with that host pattern. Host names are case-insensitive. */
export function accountAt(accounts: readonly Account[], host: string): Account | undefined {
  return accounts.find((account) => account.host.toLowerCase() === host.toLowerCase());
}

/** Statements `GRANT ... ON ... TO ...`. Some contain a password hash. Empty if the admin may not read them. */
export async function grantsOf(admin: MysqlSession, account: string): Promise<string[]> {
  const rows = await unlessRefused(admin.rows(`SHOW GRANTS FOR ${account}`));
  return (rows ?? []).flatMap((row) => Object.values(row).map(String));
}

/** Whether one of these statements grants all privileges on the database. */
export function hasGrant(grants: readonly string[], database: string): boolean {
  const own = `GRANT ALL PRIVILEGES ON ${quotePattern(database)}.* TO `;
  return grants.some((text) => text.startsWith(own) || text.startsWith('GRANT ALL PRIVILEGES ON *.* TO '));
}

async function unlessRefused(asked: Promise<Record<string, unknown>[]>) {
  try {
    return await asked;
  } catch (error) {
    const errno = errnoOf(error);
    if (MAY_NOT_LOOK.has(errno) || errno === NO_SUCH_GRANT) return undefined;
    throw error;
  }
}
