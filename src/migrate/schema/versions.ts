import { errnoOf, NO_SUCH_TABLE, quoteName, type MysqlSession } from '../../mysql/index.ts';

const ANSWER_MS = 10_000;

/** The revisions in a version table of alembic; undefined if there is no such table. */
export async function readVersions(
  session: Pick<MysqlSession, 'rows'>,
  database: string,
  table: string,
): Promise<string[] | undefined> {
  try {
    const sql = `SELECT version_num AS version FROM ${quoteName(database)}.${quoteName(table)} ORDER BY 1`;
    return (await session.rows(sql, [], ANSWER_MS)).map(({ version }) => String(version));
  } catch (error) {
    if (errnoOf(error) !== NO_SUCH_TABLE) throw error;
    return undefined;
  }
}
