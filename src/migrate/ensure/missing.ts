import { mysqlError, quoteAccount, type MysqlSession, type MysqlTarget } from '../../mysql/index.ts';
import { repeated } from '../fence/repeated.ts';
import { accountAt, accountsOf, grantsOf, hasGrant } from './accounts.ts';
import type { EnsureOptions } from '../options/ensure.ts';

/**
 * The changes of a run, as far as they can be determined without the lock. They are printed, so they contain no
 * secrets.
 */
export interface Seen {
  readonly action: 'create' | 'update';
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly before?: string; readonly after: string }[];
  readonly lacks?: string;
}

/**
 * The objects that ensure() would create or alter, found by the same queries. If the admin may not read some, they
 * count as missing.
 */
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
    throw mysqlError(`read database ${database}`, error);
  }
}
