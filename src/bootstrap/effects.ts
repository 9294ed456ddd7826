import type { Log } from '../core/log.ts';

/** Effects passed to every part. */
export interface Effects {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Aborted at the overall deadline. */
  readonly deadline: AbortSignal;
  /** The deadline's duration, for messages. */
  readonly timeoutMs: number;
}
