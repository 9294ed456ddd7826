import { messageOf } from '../../../src/core/errors.ts';
import type { Stage } from '../stage.ts';

/** A database at one moment of the upgrade. */
export interface Schema {
  readonly database: string;
  /** Of Alembic. */
  readonly revision: string;
  readonly tables: number;
  /** In all of its tables. */
  readonly rows: number;
}

const NOT_OURS = "'mysql', 'sys', 'information_schema', 'performance_schema'";

/** Runs SQL as root on MariaDB's node. @returns the rows, as texts */
export type Sql = (text: string) => Promise<string[][]>;

export function sqlOf(stage: Stage, rootPassword: string): Sql {
  return async (text) => {
    const login = ['--host=127.0.0.1', '--user=root', '--batch', '--skip-column-names', `--execute=${text}`];
    const words = ['exec', 'mariadb-0', '--container=mariadb', '--', 'env', `MYSQL_PWD=${rootPassword}`, 'mariadb'];
    const out = await withoutPassword(rootPassword, stage.kubectl([...words, ...login]));
    return out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]));
  };
}

/** Hides the password in the error of a command that has it. */
export async function withoutPassword<T>(password: string, work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    throw new Error(messageOf(error).replaceAll(password, '***'));
  });
}

/** Every database with its revision and its number of rows. */
export async function schemasOf(sql: Sql): Promise<Schema[]> {
  const tables = await sql(
    `SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema NOT IN (${NOT_OURS})`,
  );
  const counts = tables.map(
    ([database, name]) => `SELECT '${database}', '${name}', COUNT(*), '' FROM \`${database}\`.\`${name}\``,
  );
  const revisions = tables
    .filter(([, name]) => name === 'alembic_version')
    .map(([database]) => `SELECT '${database}', '', 0, version_num FROM \`${database}\`.alembic_version`);
  const found = await sql([...counts, ...revisions].join(' UNION ALL '));
  return [...new Set(tables.map(([database = '']) => database))].toSorted().map((database) => {
    const own = found.filter(([of]) => of === database);
    return {
      database,
      revision: own.flatMap(([, , , revision = '']) => (revision === '' ? [] : [revision])).join(', '),
      tables: own.filter(([, name]) => name !== '').length,
      rows: own.reduce((sum, [, , rows]) => sum + Number(rows), 0),
    };
  });
}
