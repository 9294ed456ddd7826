/** The exact name of a test or a describe(), or an expression over full names, whose parts are joined with ` > `. */
export type TestName = string | RegExp;

/** A claim, and the tests that prove it. */
export interface Row {
  readonly point: string;
  /** The test file, as passed to `node --test`. */
  readonly file: string;
  /** Each of several names must match. */
  readonly test: TestName | readonly TestName[];
  /** Minimum number of tests that must pass, if they are generated from a table; the default is 1. */
  readonly least?: number;
}

export interface Capability {
  /** The name of its page under docs/evidence/. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** All tests in the file. */
export const EVERY = /^/;

/** The names of a row as a list. */
export function namesOf({ test }: Row): readonly TestName[] {
  return Array.isArray(test) ? (test as readonly TestName[]) : [test as TestName];
}
