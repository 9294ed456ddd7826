import { UnavailableError } from '../../core/errors.ts';
import { FORMAT, formatProblem } from '../../core/format.ts';
import { errnoOf, NO_SUCH_TABLE, type MysqlSession } from '../../mysql/index.ts';
import type { Claim, FenceState } from '../fence/fence.ts';
import { repeated } from '../fence/repeated.ts';

/** The last migration of one phase for one release. */
export interface RecordRow extends Omit<Claim, 'work'> {
  readonly token: number;
  readonly state: FenceState;
  readonly work: string;
  /** The server's time in UTC. */
  readonly started: string;
  readonly ended: string | undefined;
  readonly exitCode: number | undefined;
  /** The command's last lines, with secrets hidden. */
  readonly output: string;
}

export const RECORD_TABLE = 'kolla_pod_record';

const TABLE = `CREATE TABLE IF NOT EXISTS ${RECORD_TABLE} (
    service VARCHAR(64) NOT NULL,
    \`release\` VARCHAR(128) NOT NULL,
    phase VARCHAR(32) NOT NULL,
    token BIGINT UNSIGNED NOT NULL,
    state VARCHAR(16) NOT NULL,
    holder VARCHAR(255) NOT NULL,
    work VARCHAR(64) NOT NULL,
    started DATETIME(3) NOT NULL, ended DATETIME(3) NULL,
    exit_code INT NULL,
    output TEXT NULL,
    format SMALLINT UNSIGNED NOT NULL DEFAULT ${FORMAT},
    PRIMARY KEY (service, \`release\`, phase)
  ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    COMMENT='kolla-db-sync: what was migrated when; see kolla-db-sync status'`;

const COLUMNS = ['state', 'holder', 'work', 'started', 'ended', 'exit_code', 'output'] as const;

/**
 * Records the start of our migration of this phase, replacing an older token's entry. Returns false if a later token
 * was recorded. The table is created only if it is missing, because on Galera that briefly blocks all writers.
 */
export async function openRecord(session: MysqlSession, claim: Claim, token: number): Promise<boolean> {
  const { service, release, phase, holder, work } = claim;
  // The token is assigned last, because each assignment sees the values set by previous ones.
  const over = COLUMNS.map((column) => `${column} = IF(VALUES(token) > token, VALUES(${column}), ${column})`);
  const insert = () =>
    repeated(() =>
      session.change(
        `INSERT INTO ${RECORD_TABLE} (service, \`release\`, phase, token, ${COLUMNS.join(', ')})
         VALUES (?, ?, ?, ?, 'running', ?, ?, NOW(3), NULL, NULL, '')
         ON DUPLICATE KEY UPDATE ${over.join(', ')}, token = GREATEST(token, VALUES(token))`,
        [service, release, phase, token, holder, work],
      ),
    );
  try {
    return (await insert()).changed > 0;
  } catch (error) {
    if (errnoOf(error) !== NO_SUCH_TABLE) throw error;
  }
  await repeated(() => session.change(TABLE));
  return (await insert()).changed > 0;
}

/**
 * Records how our migration of this phase ended. The statement is not retried, because it is part of a transaction.
 * @returns false if a later token has started the phase again
 */
export async function closeRecord(
  session: MysqlSession,
  { service, release, phase }: Claim,
  { token, state, exitCode, output }: Pick<RecordRow, 'token' | 'state' | 'output'> & { exitCode: number },
): Promise<boolean> {
  const { changed } = await session.change(
    `UPDATE ${RECORD_TABLE} SET state = ?, exit_code = ?, output = ?, ended = NOW(3)
     WHERE service = ? AND \`release\` = ? AND phase = ? AND token = ?`,
    [state, exitCode, output, service, release, phase, token],
  );
  return changed === 1;
}

/** The greatest token of all records in the session's database; 0 if there is none. */
export async function latestToken(session: MysqlSession): Promise<number> {
  try {
    const [row] = await repeated(() => session.rows(`SELECT MAX(token) AS token FROM ${RECORD_TABLE}`));
    return Number(row?.['token'] ?? 0);
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return 0;
    throw error;
  }
}

const FIELDS: readonly (keyof RecordRow)[] = [
  'service',
  'release',
  'phase',
  'token',
  'state',
  'holder',
  'work',
  'started',
  'ended',
  'exitCode',
  'output',
];

/** All records in the session's database. The latest comes first. */
export async function readRecords(session: MysqlSession): Promise<RecordRow[]> {
  try {
    // All columns: a table created before `format` existed has no such column.
    const rows = await session.rows(`SELECT *, exit_code AS exitCode FROM ${RECORD_TABLE} ORDER BY token DESC`);
    return rows.map((row) => {
      const problem = formatProblem(row['format']);
      if (problem !== undefined) throw new UnavailableError(`${RECORD_TABLE} ${problem}`);
      return Object.fromEntries(FIELDS.map((field) => [field, row[field] ?? undefined])) as unknown as RecordRow;
    });
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return [];
    throw error;
  }
}
