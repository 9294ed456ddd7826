/** One thing that must hold, and the command by which anybody sees whether it does. */
export interface Point {
  readonly point: string;
  /** For `bash -c`, at the top of the repository. */
  readonly command: string;
  /** The exit code that it must end with; 0 unless given. */
  readonly exit?: number;
  /** What its output must hold; the line where it stands is what the row shows as got. */
  readonly match: RegExp;
  /** Lines of its output that stand below the rows as they are: a table. */
  readonly table?: RegExp;
}

export interface Capability {
  /** The name of its page under docs/evidence/. */
  readonly name: string;
  readonly title: string;
  readonly points: readonly Point[];
}

/** Runs one test file with node's own runner, or the tests in it whose names match. */
export function tests(file: string, names?: string): string {
  const chosen = names === undefined ? '' : `--test-name-pattern '${names}' `;
  return `node_modules/.bin/node --test ${chosen}${file}`;
}

/** Runs a helper from source. */
export function helper(line: string): string {
  return `node_modules/.bin/node build/from-source.ts ${line}`;
}
