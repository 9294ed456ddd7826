import type { Log } from '../core/log.ts';

/** What every part is given. */
export interface Effects {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Aborted when the whole has taken too long. */
  readonly deadline: AbortSignal;
  /** That time, for messages. */
  readonly timeoutMs: number;
}
