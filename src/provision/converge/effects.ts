import type { Log } from '../../core/log.ts';

/** Effects that every part receives. */
export interface Effects {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Aborted at the overall deadline. */
  readonly deadline: AbortSignal;
  /** Time until the deadline, for messages. */
  readonly timeoutMs: number;
}
