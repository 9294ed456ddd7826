/** One thing that must hold, and the command by which anybody sees whether it does. */
export interface Point {
  readonly point: string;
  /** For `bash -c`, at the top of the repository. */
  readonly command: string;
  /** The exit code that it must end with; 0 unless given. */
  readonly exit?: number;
  /** What its output must hold; the line where it stands is what the row shows as got. */
  readonly match: RegExp;
}

export interface Capability {
  /** The name of its page under docs/evidence/. */
  readonly name: string;
  readonly title: string;
  readonly points: readonly Point[];
}
