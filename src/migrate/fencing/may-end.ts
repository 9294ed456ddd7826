import type { MysqlSession } from '../../mysql/index.ts';

/** Any one of them lets an account KILL others' sessions: MariaDB's, MySQL 8's, and that of older ones. */
const KILL = /\b(?:CONNECTION[ _]ADMIN|SUPER)\b/;
const EVERYTHING = /\bALL PRIVILEGES ON \*\.\* /;

/**
 * What the admin lacks to see and end other accounts' sessions; undefined when nothing. The process list of one without
 * PROCESS has its own sessions alone: it would take those of a migration that runs on for gone.
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
