import type { Log } from '../../core/log.ts';
import { connect, placesOf, preferring, reasonOf, type MysqlTarget, type RowSource } from '../../mysql/index.ts';
import type { Address } from '../../net/dial/address.ts';
import { FENCE_TABLE } from '../fence/fence.ts';
import { OUR_MARK } from '../fence/lock.ts';
import { RECORD_TABLE } from '../record/record.ts';

/** Tables of one database. The table that changed last comes first. */
export interface ChangedTables {
  /** Tables that were created, or whose definition changed. */
  readonly altered: readonly string[];
  /** Tables in which only rows changed, by the migration or by the live service. */
  readonly written: readonly string[];
}

/** Timeout for connection and query. */
const ASK_MS = 3000;
const NAMED = 5;

/** The server's clock, in seconds as its statistics have them; undefined if the server does not tell. */
export async function serverTime(session: RowSource): Promise<number | undefined> {
  try {
    const [row] = await session.rows(`SELECT ${OUR_MARK} UNIX_TIMESTAMP() AS now`);
    return row === undefined ? undefined : Number(row['now']);
  } catch {
    return undefined;
  }
}

/**
 * The tables that changed since then, by the server's clock and statistics. Uses a separate session: the session that
 * holds the lock must not block. Undefined if the server does not tell.
 * @param at the node that is in use
 * @param since of serverTime()
 */
export async function readChangedTables(
  target: MysqlTarget,
  at: Address,
  since: number,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<ChangedTables | undefined> {
  const [place] = placesOf(preferring(target, at));
  if (place === undefined) return undefined;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(2 * ASK_MS)]);
  try {
    await using session = await connect(place, { signal: stop, handshakeMs: ASK_MS, statementMs: ASK_MS });
    stop.addEventListener('abort', () => session.destroy(), { once: true });
    const rows = await session.rows(
      `/*M!100100 SET STATEMENT max_statement_time = ${ASK_MS / 1000} FOR */ SELECT ${OUR_MARK}
         TABLE_NAME AS name, CREATE_TIME >= FROM_UNIXTIME(?) AS isAltered FROM information_schema.TABLES
       WHERE TABLE_SCHEMA = ? AND TABLE_NAME NOT IN (?, ?) AND
         GREATEST(COALESCE(CREATE_TIME, 0), COALESCE(UPDATE_TIME, 0)) >= FROM_UNIXTIME(?)
       ORDER BY GREATEST(COALESCE(CREATE_TIME, 0), COALESCE(UPDATE_TIME, 0)) DESC, TABLE_NAME`,
      [since, place.database, FENCE_TABLE, RECORD_TABLE, since],
    );
    const named = (isAltered: number) =>
      rows.filter((row) => Number(row['isAltered']) === isAltered).map((row) => String(row['name']));
    return { altered: named(1), written: named(0) };
  } catch (error) {
    if (!signal.aborted) log.debug(`cannot read which tables have changed: ${reasonOf(error)}`);
    return undefined;
  }
}

/** The tables in messages: `tables altered: user, role and 3 more`. */
export function changedText(changed: ChangedTables | undefined): string[] {
  if (changed === undefined) return [];
  const { altered, written } = changed;
  if (altered.length + written.length === 0) return ['no table has changed yet'];
  const text = (verb: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`tables ${verb}: ${names.slice(0, NAMED).join(', ')}${more(names.length - NAMED)}`];
  return [...text('altered', altered), ...text('written', written)];
}

function more(count: number): string {
  return count > 0 ? ` and ${count} more` : '';
}
