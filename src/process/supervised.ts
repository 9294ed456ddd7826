/**
 * What a program's supervisor reads from its stdin: this as one line of JSON. After it, the end of the input stops the
 * program, even if its starter was killed by SIGKILL, and any further byte kills it at once. The command is not in the
 * supervisor's arguments: `pkill -f` in it would find them.
 */
export interface Supervised {
  readonly file: string;
  /** The program's arguments, its name first. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly graceMs: number;
  /** Number of the program's descriptors; stdin is /dev/null, the others are the supervisor's. */
  readonly descriptors: number;
}

/** argv[0] of kolla-core as a supervisor: src/engine/kolla-run.ts. It is in no directory. */
export const SUPERVISOR_NAME = 'kolla-run';
