import type { RowDataPacket } from 'mysql2/promise';
import type { GaleraNode } from '../../test/cluster/galera.ts';

/** One write of a migration, by the number of its commit. */
export interface JournalRow {
  readonly n: number;
  /** The contender. */
  readonly who: string;
  readonly what: 'start' | 'tick' | 'end';
  /** Through which node. */
  readonly node: string;
  /** The fence's at the start, null of other rows. */
  readonly token: number | null;
}

/** The tables into which the migrations of a database write. */
export const JOURNAL_TABLES = `
  CREATE TABLE clock (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
  CREATE TABLE journal (n INT PRIMARY KEY, who VARCHAR(64) NOT NULL, what VARCHAR(8) NOT NULL, node VARCHAR(8) NOT NULL,
    token BIGINT UNSIGNED, KEY (who)) ENGINE=InnoDB;
  INSERT INTO clock VALUES (1, 0)`;

/** What a node shows of a database once it has applied what was committed before; from number `after` on. */
export async function readJournal(node: GaleraNode, database: string, after = 0): Promise<JournalRow[]> {
  const sql = `SELECT n, who, what, node, token FROM ${database}.journal WHERE n > ? ORDER BY n`;
  return (await settled(node, sql, [after])) as unknown as JournalRow[];
}

/** Of all that a contender has written: rows, the last one's number, and a checksum of them. */
export async function traceOf(node: GaleraNode, database: string, who: string): Promise<string> {
  const rows = await settled(
    node,
    `SELECT COUNT(*) AS c, MAX(n) AS m, BIT_XOR(CRC32(CONCAT_WS(',', n, what, node))) AS x FROM ${database}.journal WHERE who = ?`,
    [who],
  );
  const [row] = rows;
  return `${row?.['c']} rows up to ${row?.['m']}, checksum ${row?.['x']}`;
}

/** Rows as of everything that was committed before on any node. */
export async function settled(
  node: GaleraNode,
  sql: string,
  values: readonly (string | number)[] = [],
): Promise<RowDataPacket[]> {
  const results = await node.query(`SET SESSION wsrep_sync_wait = 7; ${sql}`, values);
  return results.at(-1) as unknown as RowDataPacket[];
}

/**
 * What a migration wrote after another one had begun, or after its own end.
 * @param begun who began last before these rows
 */
export function overlapsIn(rows: readonly JournalRow[], begun?: string): JournalRow[] {
  let current = begun;
  const overlaps: JournalRow[] = [];
  for (const row of rows) {
    if (row.what === 'start') current = row.who;
    else if (row.who !== current) overlaps.push(row);
  }
  return overlaps;
}
