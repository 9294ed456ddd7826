import type { MysqlSession } from '../../mysql/index.ts';

/**
 * Privileges each of which allows an account to KILL sessions of others: in MariaDB, in MySQL 8, and in older
 * versions.
 */
const KILL = /\b(?:CONNECTION[ _]ADMIN|SUPER)\b/;
const EVERYTHING = /\bALL PRIVILEGES ON \*\.\* /;

/**
 * The privileges that the admin lacks to see and kill other accounts' sessions; undefined if none. Without PROCESS the
 * process list shows only the admin's own sessions: a running migration would seem gone.
 */
export async function lackedToEnd(admin: MysqlSession): Promise<string | undefined> {
  const rows = await admin.rows('SHOW GRANTS');
  const everywhere = rows.flatMap((row) => Object.values(row).map(String)).filter((text) => text.includes(' ON *.* '));
  if (everywhere.some((text) => EVERYTHING.test(text))) return undefined;
  const has = (word: RegExp) => everywhere.some((text) => word.test(text.slice(0, text.indexOf(' ON *.* '))));
  if (!has(/\bPROCESS\b/)) return "PROCESS, to see other accounts' sessions";
  if (!has(KILL)) return "CONNECTION ADMIN (or SUPER), to end other accounts' sessions";
  return undefined;
}
