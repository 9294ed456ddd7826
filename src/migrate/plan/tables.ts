import type { MysqlTarget } from '../../mysql/index.ts';

/** A version table, and the tool's script directory for it, relative to the modules installed next to the tool. */
export interface VersionTable {
  /** Another database than that of the lock. */
  readonly other?: MysqlTarget | undefined;
  readonly table: string;
  /** Undefined if it is not known. */
  readonly scripts: string | undefined;
}

/** The version tables that a tool keeps, and what a phase must have applied. */
export interface Versions {
  readonly tables: readonly VersionTable[];
  /** Only the `expand` branch. */
  readonly isExpand: boolean;
}
