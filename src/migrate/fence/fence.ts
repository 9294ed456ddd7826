import { UnavailableError } from '../../core/errors.ts';
import { errnoOf, isUndone, NO_SUCH_TABLE, quoteName, type MysqlSession } from '../../mysql/index.ts';
import { FORMAT, formatProblem } from '../../core/format.ts';
import { oneLine } from '../../core/one-line.ts';
import { repeated } from './repeated.ts';

/** State of the last migration. `running` without a running migrator means that it was interrupted. */
const FENCE_STATES = ['running', 'done', 'failed', 'interrupted', 'lost'] as const;
export type FenceState = (typeof FENCE_STATES)[number];

/** Data about a migrator that it writes when it takes the fence. */
export interface Claim {
  readonly holder: string;
  readonly service: string;
  readonly release: string;
  readonly phase: string;
  /** Equal for the same service, release and command lines. */
  readonly work: string;
}

export interface FenceRow extends Claim {
  /** Incremented by each take and never reset. 0 means that it was never taken. */
  readonly token: number;
  readonly state: FenceState | 'new';
  /** The server's time in UTC, `2026-01-31 10:00:00.000`. */
  readonly started: string | undefined;
  readonly renewed: string | undefined;
  readonly ended: string | undefined;
  readonly exitCode: number | undefined;
}

const COLUMNS = [
  'token',
  'state',
  'holder',
  'service',
  'release',
  'phase',
  'work',
  'started',
  'renewed',
  'ended',
  'exitCode',
] as const satisfies readonly (keyof FenceRow)[];

export const FENCE_TABLE = 'kolla_pod_fence';
/** Key of the only row. */
export const FENCE_NAME = 'schema';

/**
 * Reads the row. Table and row are created in the session's database only if they are missing, because on Galera each
 * CREATE TABLE briefly blocks all writers. The statements below are judged by affected rows, never by values that were
 * read.
 */
export async function openFence(session: MysqlSession): Promise<FenceRow> {
  const row = await readFence(session);
  if (row !== undefined) return row;
  await repeated(() => createFence(session));
  await repeated(() =>
    session.change(`INSERT IGNORE INTO ${FENCE_TABLE} (name, token, state) VALUES (?, 0, 'new')`, [FENCE_NAME]),
  );
  const made = await readFence(session);
  if (made !== undefined) return made;
  throw new UnavailableError(`cannot read back the row just inserted into ${FENCE_TABLE}`);
}

/**
 * Rejects a table with another engine, left by ALTER TABLE or a restore. Galera does not replicate its rows, so two
 * nodes could both have the fence.
 */
export async function requireInnodb(session: MysqlSession): Promise<void> {
  const [row] = await session.rows(
    'SELECT ENGINE AS engine FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?',
    [FENCE_TABLE],
  );
  const engine = String(row?.['engine']);
  if (engine === 'InnoDB') return;
  throw new UnavailableError(
    `${FENCE_TABLE} is of engine ${engine}, whose rows do not exclude a migrator on another node: ALTER TABLE ${FENCE_TABLE} ENGINE=InnoDB`,
  );
}

async function createFence(session: MysqlSession): Promise<void> {
  await session.change(`CREATE TABLE IF NOT EXISTS ${quoteName(FENCE_TABLE)} (
    name VARCHAR(64) NOT NULL PRIMARY KEY,
    token BIGINT UNSIGNED NOT NULL,
    state VARCHAR(16) NOT NULL,
    holder VARCHAR(255) NOT NULL DEFAULT '',
    service VARCHAR(64) NOT NULL DEFAULT '',
    \`release\` VARCHAR(128) NOT NULL DEFAULT '',
    phase VARCHAR(32) NOT NULL DEFAULT '',
    work VARCHAR(64) NOT NULL DEFAULT '',
    started DATETIME(3) NULL, renewed DATETIME(3) NULL, ended DATETIME(3) NULL,
    exit_code INT NULL,
    account VARCHAR(80) NOT NULL DEFAULT '',
    kept VARCHAR(2000) NOT NULL DEFAULT '',
    client VARCHAR(255) NOT NULL DEFAULT '',
    lock_session VARCHAR(255) NOT NULL DEFAULT '',
    is_alone TINYINT NOT NULL DEFAULT 0,
    trace_token BIGINT UNSIGNED NOT NULL DEFAULT 0,
    format SMALLINT UNSIGNED NOT NULL DEFAULT ${FORMAT}
  ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    COMMENT='kolla-db-sync: who migrates this database; see kolla-db-sync status'`);
}

/** The row; undefined if there is none yet. */
export async function readFence(session: MysqlSession): Promise<FenceRow | undefined> {
  try {
    const read = () =>
      // All columns: a table created before `format` existed has no such column.
      session.rows(`SELECT *, exit_code AS exitCode FROM ${FENCE_TABLE} WHERE name = ?`, [FENCE_NAME]);
    const [row] = await repeated(read);
    if (row === undefined) return undefined;
    const problem = formatProblem(row['format']);
    if (problem !== undefined) throw new UnavailableError(`${FENCE_TABLE} ${problem}`);
    const known = Object.fromEntries(COLUMNS.map((key) => [key, row[key] ?? undefined]));
    return checked(known as unknown as FenceRow);
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return undefined;
    throw error;
  }
}

/** Rejects values that only a manual edit can produce. */
function checked(row: FenceRow): FenceRow {
  const isToken = Number.isSafeInteger(row.token) && row.token < Number.MAX_SAFE_INTEGER;
  if (isToken && ['new', ...FENCE_STATES].includes(row.state)) return row;
  const what = isToken ? `state is '${oneLine(row.state)}'` : `token is ${row.token}`;
  throw new UnavailableError(
    `${FENCE_TABLE} was edited: its ${what}. Make sure that no migration runs, then DROP TABLE ` +
      `${FENCE_TABLE}: it is re-created`,
  );
}

/**
 * Takes the fence by compare-and-set from the row as it was read. Reads only to resolve a statement with unknown
 * outcome.
 * @param before the row that the caller has found to be free: finished, or not renewed for a whole lease
 * @param token ours; greater than the row's
 * @returns our token; undefined if another migrator was faster, or its holder has renewed it
 */
export async function takeFence(
  session: MysqlSession,
  claim: Claim,
  before: FenceRow,
  token: number = before.token + 1,
): Promise<number | undefined> {
  return await repeated(async () => {
    try {
      const { changed } = await session.change(
        `UPDATE ${FENCE_TABLE} SET token = ?, state = 'running', holder = ?, service = ?, \`release\` = ?, phase = ?,
           work = ?, started = NOW(3), renewed = GREATEST(NOW(3), COALESCE(renewed, NOW(3))), ended = NULL, exit_code = NULL
         WHERE name = ? AND token = ? AND state = ? AND renewed <=> ?`,
        [
          token,
          claim.holder,
          claim.service,
          claim.release,
          claim.phase,
          claim.work,
          FENCE_NAME,
          before.token,
          before.state,
          before.renewed ?? null,
        ],
      );
      return changed === 1 ? token : undefined;
    } catch (error) {
      if (isUndone(error) && isClaimed(await readFence(session), claim, token)) return token;
      throw error;
    }
  });
}

/** Whether the row is ours because of a statement whose response was lost. */
export function isClaimed(row: FenceRow | undefined, { holder }: Claim, token: number): boolean {
  return row?.token === token && row.holder === holder && row.state === 'running';
}

/**
 * Renews the fence. The time always increases, even if the nodes' clocks differ: other migrators see only the change.
 * Returns false if a later token has the fence, or the row was deleted.
 */
export async function renewFence(session: MysqlSession, token: number, timeoutMs: number): Promise<boolean> {
  const { changed } = await session.change(
    `UPDATE ${FENCE_TABLE} SET renewed = GREATEST(NOW(3), renewed + INTERVAL 1000 MICROSECOND)
     WHERE name = ? AND token = ? AND state = 'running'`,
    [FENCE_NAME, token],
    timeoutMs,
  );
  return changed === 1;
}

/**
 * Records how our migration ended; `isOver`: none of its sessions can continue. The statement is not retried, because
 * it is part of a transaction.
 * @returns false if a later token has the fence
 */
export async function closeFence(
  session: MysqlSession,
  token: number,
  { state, exitCode, isOver }: { readonly state: FenceState; readonly exitCode: number; readonly isOver: boolean },
  timeoutMs?: number,
): Promise<boolean> {
  const { changed } = await session.change(
    `UPDATE ${FENCE_TABLE} SET state = ?, exit_code = ?, ended = NOW(3), client = IF(?, '', client)
     WHERE name = ? AND token = ?`,
    [state, exitCode, isOver ? 1 : 0, FENCE_NAME, token],
    timeoutMs,
  );
  return changed === 1;
}
