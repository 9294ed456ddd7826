import type { RowDataPacket } from 'mysql2/promise';
import type { GaleraNode } from '../../test/cluster/galera.ts';

/** One write of a migration, by commit number. */
export interface JournalRow {
  readonly n: number;
  /** The contender. */
  readonly who: string;
  readonly what: 'start' | 'tick' | 'end';
  /** The node that executed it. */
  readonly node: string;
  /** Fencing token at the start, null in other rows. */
  readonly token: number | null;
}

/** Tables written by the migrations of a database. */
export const JOURNAL_TABLES = `
  CREATE TABLE clock (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
  CREATE TABLE journal (n INT PRIMARY KEY, who VARCHAR(64) NOT NULL, what VARCHAR(8) NOT NULL, node VARCHAR(8) NOT NULL,
    token BIGINT UNSIGNED, KEY (who)) ENGINE=InnoDB;
  INSERT INTO clock VALUES (1, 0)`;

/** A node's rows of a database after all earlier commits are applied; from number `after` on. */
export async function readJournal(node: GaleraNode, database: string, after = 0): Promise<JournalRow[]> {
  const sql = `SELECT n, who, what, node, token FROM ${database}.journal WHERE n > ? ORDER BY n`;
  return (await settled(node, sql, [after])) as unknown as JournalRow[];
}

/** Summary of a contender's writes: rows, last number, and checksum. */
export async function traceOf(node: GaleraNode, database: string, who: string): Promise<string> {
  const rows = await settled(
    node,
    `SELECT COUNT(*) AS c, MAX(n) AS m, BIT_XOR(CRC32(CONCAT_WS(',', n, what, node))) AS x FROM ${database}.journal WHERE who = ?`,
    [who],
  );
  const [row] = rows;
  return `${row?.['c']} rows up to ${row?.['m']}, checksum ${row?.['x']}`;
}

/** Rows after everything committed earlier on any node is applied. */
export async function settled(
  node: GaleraNode,
  sql: string,
  values: readonly (string | number)[] = [],
): Promise<RowDataPacket[]> {
  const results = await node.query(`SET SESSION wsrep_sync_wait = 7; ${sql}`, values);
  return results.at(-1) as unknown as RowDataPacket[];
}

/**
 * Writes of a migration after another one had started.
 * @param begun the last migration that started before these rows
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
