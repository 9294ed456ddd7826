import { openTable } from '#log-tables';
import type { Table } from '../tables/items.ts';
import type { LineTable } from '../tables/scanner.ts';
import type { ZoneTable } from '../time/zone-table.ts';
import { formatOf, tableOf, type FormatRule } from './index.ts';
import type { Origin } from './origin.ts';
import { layoutOf, type SchemaName } from './schema.ts';

export interface ParserOptions {
  /** The log root directory. */
  readonly root: string;
  readonly origin: Origin;
  /** The zone for timestamps without one. */
  readonly zone: ZoneTable;
  /** The schema of documents; the default is Kolla's. */
  readonly schema?: SchemaName | undefined;
  readonly formats?: readonly FormatRule[] | undefined;
}

/** The format of one file. Its table is opened for the first line: most of many files have none. */
export class FileFormat implements Disposable {
  readonly #path: string;
  readonly #options: ParserOptions;
  #table: LineTable | undefined;
  #formatTable: Table | undefined;

  constructor(path: string, options: ParserOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** The format's table with the layout of the file's documents. */
  get table(): LineTable {
    return (this.#table ??= this.#open());
  }

  /** Whether a line's role may depend on the event before it. */
  get hasContinuations(): boolean {
    this.#formatTable ??= tableOf(this.#find().format);
    return this.#formatTable.goesOn !== undefined && this.#options.schema !== 'raw';
  }

  /** Whether a line, with its line ending, has a time. @param nearMs for a timestamp without a year */
  isDated(line: Buffer, nearMs: number): boolean {
    const text = Buffer.from(line.toString('latin1').trimEnd(), 'latin1');
    return !Number.isNaN(this.table.place(text, NaN, nearMs, undefined).timeMs);
  }

  [Symbol.dispose](): void {
    this.#table?.[Symbol.dispose]();
    this.#table = undefined;
  }

  #open(): LineTable {
    const { origin, zone, schema = 'kolla' } = this.#options;
    const { kind, format } = this.#find();
    const table = tableOf(format);
    this.#formatTable = table;
    return openTable(table, layoutOf(schema, table, { ...origin, path: this.#path, kind }), zone);
  }

  #find(): ReturnType<typeof formatOf> {
    const { root, formats = [] } = this.#options;
    return formatOf(this.#path, root, formats);
  }
}
