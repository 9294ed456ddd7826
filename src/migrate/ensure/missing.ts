import { mysqlError, quoteAccount, quotePattern, type MysqlSession, type MysqlTarget } from '../../mysql/index.ts';
import { repeated } from '../lock/repeated.ts';
import type { Seen } from '../look.ts';
import { accountAt, accountsOf, grantsOf } from './accounts.ts';
import type { EnsureOptions } from './ensure.ts';

/** What ensure() would make or alter, by the same looks. Where the admin may not look, what it would try. */
export async function missingIn(
  admin: MysqlSession,
  { database, user }: MysqlTarget,
  { accountHost, charset, collation, require }: EnsureOptions,
): Promise<Seen[]> {
  try {
    const missing: Seen[] = [];
    const [row] = await repeated(() =>
      admin.rows('SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?', [database]),
    );
    if (row === undefined) {
      const fields = [{ name: 'charset', after: `${charset}, ${collation}` }];
      missing.push({ action: 'create', kind: 'database', name: database, fields });
    }
    const accounts = await repeated(() => accountsOf(admin, user));
    for (const host of accountHost) {
      const name = quoteAccount(user, host);
      const found = accounts === undefined ? undefined : accountAt(accounts, host);
      const grant = { name: 'grant', after: `everything in database ${database}` };
      if (found === undefined) {
        const required = require === undefined ? [] : [{ name: 'require', after: require }];
        const unseen = accounts === undefined ? [{ name: 'why', after: 'the admin may not see accounts' }] : [];
        missing.push({ action: 'create', kind: 'account', name, fields: [...required, grant, ...unseen] });
        continue;
      }
      const fields = [];
      if (require !== undefined && found.require !== require)
        fields.push({ name: 'require', before: found.require, after: require });
      if (!hasGrant(await repeated(() => grantsOf(admin, name)), database)) fields.push(grant);
      if (fields.length > 0) missing.push({ action: 'update', kind: 'account', name, fields });
    }
    return missing;
  } catch (error) {
    throw mysqlError(`look at database ${database}`, error);
  }
}

/** Whether one of these statements gives everything in the database. */
export function hasGrant(grants: readonly string[], database: string): boolean {
  const own = `GRANT ALL PRIVILEGES ON ${quotePattern(database)}.* TO `;
  return grants.some((text) => text.startsWith(own) || text.startsWith('GRANT ALL PRIVILEGES ON *.* TO '));
}
