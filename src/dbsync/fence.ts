import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '../cli/errors.ts';
import { backoffMs } from '../platform/backoff.ts';
import { errnoOf, NO_SUCH_TABLE, quoteName, type MysqlSession } from '../platform/mysql/index.ts';

/** How the last migration stands. `running` that nobody runs any more is one that was cut off. */
export const FENCE_STATES = ['running', 'done', 'failed', 'interrupted', 'lost'] as const;
export type FenceState = (typeof FENCE_STATES)[number];

/** What a migrator writes about itself when it takes the fence. */
export interface Claim {
  readonly holder: string;
  readonly service: string;
  readonly release: string;
  readonly phase: string;
  /** Equal for the same service, release and command lines. */
  readonly work: string;
}

export interface FenceRow extends Claim {
  /** Grows by every take, for ever. 0: nobody has ever had it. */
  readonly token: number;
  readonly state: FenceState | 'new';
  /** Server's time, UTC, `2026-01-31 10:00:00.000`. */
  readonly started: string | undefined;
  readonly renewed: string | undefined;
  readonly ended: string | undefined;
  readonly exitCode: number | undefined;
}

export const FENCE_TABLE = 'kolla_pod_fence';
const NAME = 'schema';

/** Deadlock, lock wait timeout, and MariaDB's "record has changed since last read": the statement did nothing. */
const REPEATABLE = new Set([1213, 1205, 1020]);
const REPEATS = 10;

/** Makes the table in the session's database. Each statement below judges by affected rows, never by what it read. */
export async function createFence(session: MysqlSession): Promise<void> {
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
    exit_code INT NULL
  ) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    COMMENT='kolla-db-sync: who migrates this database; see kolla-db-sync status'`);
  await repeated(() =>
    session.change(`INSERT IGNORE INTO ${FENCE_TABLE} (name, token, state) VALUES (?, 0, 'new')`, [NAME]),
  );
}

/** The row, or undefined where there is none yet. */
export async function readFence(session: MysqlSession): Promise<FenceRow | undefined> {
  try {
    const [row] = await session.rows(
      `SELECT token, state, holder, service, \`release\`, phase, work, started, renewed, ended, exit_code AS exitCode
       FROM ${FENCE_TABLE} WHERE name = ?`,
      [NAME],
    );
    if (row === undefined) return undefined;
    const known = Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value ?? undefined]));
    return known as unknown as FenceRow;
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return undefined;
    throw error;
  }
}

/** Takes the fence from whoever had it, and returns our token and what stood there before. */
export async function takeFence(session: MysqlSession, claim: Claim): Promise<{ token: number; before: FenceRow }> {
  for (let attempt = 0; attempt < REPEATS; attempt++) {
    const before = await readFence(session);
    if (before === undefined) break;
    const token = before.token + 1;
    const { changed } = await repeated(() =>
      session.change(
        `UPDATE ${FENCE_TABLE} SET token = ?, state = 'running', holder = ?, service = ?, \`release\` = ?, phase = ?,
           work = ?, started = NOW(3), renewed = NOW(3), ended = NULL, exit_code = NULL
         WHERE name = ? AND token < ?`,
        [token, claim.holder, claim.service, claim.release, claim.phase, claim.work, NAME, token],
      ),
    );
    if (changed === 1) return { token, before };
  }
  throw new UnavailableError(`cannot take the fence row in ${FENCE_TABLE}: it changes or vanishes under our hands`);
}

/** Says that we are still there. False: a later token has the fence, or the row is gone. */
export async function renewFence(session: MysqlSession, token: number, timeoutMs: number): Promise<boolean> {
  const { changed } = await session.change(
    `UPDATE ${FENCE_TABLE} SET renewed = NOW(3) WHERE name = ? AND token = ? AND state = 'running'`,
    [NAME, token],
    timeoutMs,
  );
  return changed === 1;
}

/** Writes how our migration ended. False: a later token has the fence. */
export async function closeFence(
  session: MysqlSession,
  token: number,
  state: FenceState,
  exitCode: number,
): Promise<boolean> {
  const { changed } = await repeated(() =>
    session.change(`UPDATE ${FENCE_TABLE} SET state = ?, exit_code = ?, ended = NOW(3) WHERE name = ? AND token = ?`, [
      state,
      exitCode,
      NAME,
      token,
    ]),
  );
  return changed === 1;
}

/** Runs a statement again that the server undid for a reason that passes. */
export async function repeated<T>(statement: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await statement();
    } catch (error) {
      if (!REPEATABLE.has(errnoOf(error)) || attempt === REPEATS) throw error;
      await sleep(backoffMs(attempt, { minMs: 10, maxMs: 500 }));
    }
  }
}
