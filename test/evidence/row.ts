/** The name of a test or of a describe(), exactly; or an expression over full names, whose parts are joined by ` > `. */
export type TestName = string | RegExp;

/** One thing that must hold, and the tests that show it. */
export interface Row {
  readonly point: string;
  /** The test file, as it is given to `node --test`. */
  readonly file: string;
  /** Of several names each must be there. */
  readonly test: TestName | readonly TestName[];
  /** How many tests must have passed at least, where a table makes them; 1 unless given. */
  readonly least?: number;
}

export interface Capability {
  /** The name of its page under docs/evidence/. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** All tests of the file: for a point that is the file's whole subject. */
export const EVERY = /^/;

/** The names of a row, also where it has only one. */
export function namesOf({ test }: Row): readonly TestName[] {
  return Array.isArray(test) ? (test as readonly TestName[]) : [test as TestName];
}
