import type { Table } from '../tables/items.ts';

/** Files that have a format by their path. */
export interface FileRule {
  /** A directory of the log root. Without it any, after the rules of all formats that have one. */
  readonly directory?: string;
  readonly file: RegExp;
  /** Kolla's name for the program, if it differs from the file's name. */
  readonly program?: string;
}

/** What is known of a format: each has one file. */
export interface FormatKind {
  /**
   * Its files; the first matching rule applies. Documents from a directory named here have no Logger, as in Kolla, unless
   * it is an OpenStack service's.
   */
  readonly files: readonly FileRule[];
  readonly table: Table;
}
