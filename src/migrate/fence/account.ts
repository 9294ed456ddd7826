import { createHash, randomBytes } from 'node:crypto';
import {
  isDenied,
  mysqlError,
  quoteAccount,
  quotePattern,
  quoteText,
  type MysqlSession,
  type MysqlTarget,
} from '../../mysql/index.ts';
import { repeated } from './repeated.ts';

/** Maximum length in MySQL. */
const LONGEST_NAME = 32;
const PASSWORD_BYTES = 24;

/** Login of a migration's command, used instead of the service's account. */
export interface Credentials {
  readonly user: string;
  /** Never logged. */
  readonly password: string;
}

/**
 * The account for the migration of a database under a token: `keystone_m7_1c09b3`. The suffix is derived from user and
 * database: a user may migrate several databases, each with its own tokens.
 */
export function accountNameOf(user: string, database: string, token: number): string {
  const end = `_m${token}_${createHash('sha256')
    .update(JSON.stringify([user, database]))
    .digest('hex')
    .slice(0, 6)}`;
  return `${user.slice(0, LONGEST_NAME - end.length)}${end}`;
}

/**
 * Whether this may be the name of a migration's account. The service's account can write to the fence row, which must
 * not make an admin lock and drop `root`.
 */
export function isAccountName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= LONGEST_NAME && /_m\d+_[0-9a-f]{6}$/.test(name);
}

/** Whether it is the account of a migration of this database by this user, and not that of another, which may be running. */
export function isAccountOf({ user, database }: MysqlTarget, name: string): boolean {
  return name === accountNameOf(user, database, Number(/_m(\d+)_[0-9a-f]{6}$/.exec(name)?.[1]));
}

/**
 * Letters, digits and characters that need no URL encoding: Alembic interprets `%`. Contains each character class that
 * servers require.
 */
export function randomPassword(): string {
  return `${randomBytes(PASSWORD_BYTES).toString('base64url')}-Aa1`;
}

/** From where an account may log in, and its TLS requirement, in SQL. */
interface Host {
  readonly host: string;
  readonly require: string;
}

/** Creates the account for these databases with the hosts and TLS requirements of the service's own account. */
export async function makeAccount(
  admin: MysqlSession,
  { user, password }: Credentials,
  service: { readonly user: string; readonly hosts: readonly string[] },
  databases: readonly string[],
): Promise<void> {
  for (const { host, require } of await hostsOf(admin, service.user, service.hosts)) {
    const account = quoteAccount(user, host);
    const run = (sql: string) => repeated(() => admin.change(sql));
    try {
      // Drops the account of an earlier database with this name, whose tokens started again at 1.
      await run(`DROP USER IF EXISTS ${account}`);
      await run(`CREATE USER ${account} IDENTIFIED BY ${quoteText(password)}${require}`);
      for (const database of databases) {
        await run(`GRANT ALL PRIVILEGES ON ${quotePattern(database)}.* TO ${account}`);
      }
    } catch (error) {
      // A partially created account is of no use. If it cannot be dropped, it was probably not created either.
      await run(`DROP USER IF EXISTS ${account}`).catch(() => {});
      const refused = mysqlError(`create account ${account}`, error);
      refused.message = refused.message.replaceAll(password, '***');
      throw refused;
    }
  }
}

/** @param otherwise used if the admin may not read the accounts */
async function hostsOf(admin: MysqlSession, user: string, otherwise: readonly string[]): Promise<Host[]> {
  const text = (column: string) => `CONVERT(${column} USING utf8mb4) AS ${column}`;
  try {
    const rows = await admin.rows(
      `SELECT Host AS host, ${['ssl_type', 'ssl_cipher', 'x509_issuer', 'x509_subject'].map(text).join(', ')}
       FROM mysql.user WHERE User = ?`,
      [user],
    );
    return rows.map((row) => ({ host: String(row['host']), require: requirement(row as Record<string, string>) }));
  } catch (error) {
    if (!isDenied(error)) throw error;
    return otherwise.map((host) => ({ host, require: '' }));
  }
}

function requirement({ ssl_type, ssl_cipher, x509_issuer, x509_subject }: Record<string, string>): string {
  if (ssl_type === 'ANY') return ' REQUIRE SSL';
  if (ssl_type === 'X509') return ' REQUIRE X509';
  if (ssl_type !== 'SPECIFIED') return '';
  const parts = Object.entries({ CIPHER: ssl_cipher, ISSUER: x509_issuer, SUBJECT: x509_subject })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([word, value]) => `${word} ${quoteText(value!)}`);
  return ` REQUIRE ${parts.join(' AND ')}`;
}

/** Prevents new logins on all nodes, while open sessions remain. Does nothing if the account does not exist. */
export async function lockAccount(admin: MysqlSession, user: string, hosts: readonly string[]): Promise<void> {
  for (const { host } of await hostsOf(admin, user, hosts)) {
    const account = quoteAccount(user, host);
    await repeated(() => admin.change(`ALTER USER IF EXISTS ${account} ACCOUNT LOCK`));
  }
}

export async function dropAccount(admin: MysqlSession, user: string, hosts: readonly string[]): Promise<void> {
  for (const { host } of await hostsOf(admin, user, hosts)) {
    await repeated(() => admin.change(`DROP USER IF EXISTS ${quoteAccount(user, host)}`));
  }
}

const DEFINED = [
  ['TRIGGERS', 'TRIGGER_SCHEMA', 'TRIGGER_NAME', 'trigger'],
  ['VIEWS', 'TABLE_SCHEMA', 'TABLE_NAME', 'view'],
  ['ROUTINES', 'ROUTINE_SCHEMA', 'ROUTINE_NAME', 'routine'],
  ['EVENTS', 'EVENT_SCHEMA', 'EVENT_NAME', 'event'],
] as const;

/**
 * Objects in the databases with the account as definer: they run with its privileges, and without it the service would
 * get error 1449 for each statement that uses them.
 */
export async function definedBy(admin: MysqlSession, user: string, databases: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [table, schema, name, kind] of DEFINED) {
    const rows = await admin.rows(
      `SELECT CONCAT(${schema}, '.', ${name}) AS name FROM information_schema.${table}
       WHERE ${schema} IN (?) AND LEFT(DEFINER, CHAR_LENGTH(?)) = ?`,
      [databases, `${user}@`, `${user}@`],
    );
    found.push(...rows.map((row) => `${kind} ${String(row['name'])}`));
  }
  return found;
}
