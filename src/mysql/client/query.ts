/** COM_QUERY, and results as text: columns, an end, rows, an end. */
import { Fields, KIND, malformed } from '../../net/protocols/mysql-packets.ts';
import type { Wire } from './wire.ts';

const QUERY = 3;
/** More than any result of ours. */
const COLUMNS_MAX = 256;
/** An end has at most this length; a row that begins with the same byte is longer. */
const END_MAX_BYTES = 9;
/** Integers and floating-point numbers of any width, and years: the types that are numbers in mysql2 too. */
const NUMBERS = new Set([1, 2, 3, 4, 5, 8, 9, 13]);

interface Column {
  readonly name: string;
  readonly isNumber: boolean;
}

/**
 * Runs a statement.
 * @returns its rows. Numbers are numbers, unless one is too large for it; everything else is text
 * @throws as Wire.hear()
 */
export async function rowsOf(wire: Wire, sql: string): Promise<Record<string, unknown>[]> {
  wire.command(Buffer.from([QUERY]), Buffer.from(sql));
  const first = await wire.hear();
  if (first.next === KIND.ok) return [];
  if (first.next === KIND.null) throw malformed('it asks for a file');
  const count = first.length();
  if (count === 0 || count > COLUMNS_MAX || first.left > 0) throw malformed('a result begins without its columns');
  const columns: Column[] = [];
  while (columns.length < count) columns.push(columnIn(await wire.hear()));
  if (!isEnd(await wire.hear())) throw malformed('a result has more columns than it says');
  const rows: Record<string, unknown>[] = [];
  for (;;) {
    const fields = await wire.hear();
    if (isEnd(fields)) return rows;
    rows.push(rowIn(fields, columns));
  }
}

function isEnd(fields: Fields): boolean {
  return fields.next === KIND.end && fields.left < END_MAX_BYTES;
}

function columnIn(fields: Fields): Column {
  // Catalog, schema, table and its own name, before the column's.
  for (let i = 0; i < 4; i++) fields.bytes();
  const name = fields.bytes().toString();
  fields.bytes(); // its own name
  fields.take(1 + 2 + 4); // length of the rest, character set, width
  return { name, isNumber: NUMBERS.has(fields.number(1)) };
}

function rowIn(fields: Fields, columns: readonly Column[]): Record<string, unknown> {
  const row = Object.fromEntries(columns.map((column) => [column.name, valueIn(fields, column)]));
  if (fields.left > 0) throw malformed('a row has more values than columns');
  return row;
}

function valueIn(fields: Fields, { isNumber }: Column): unknown {
  if (fields.next === KIND.null) {
    fields.take(1);
    return null;
  }
  const text = fields.bytes().toString();
  const number = Number(text);
  return isNumber && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}
