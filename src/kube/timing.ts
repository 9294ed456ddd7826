import type { Backoff } from '../core/backoff.ts';

/** Each uses a connection, and a goroutine and a buffer in the server; above that it polls. */
export const WATCHES_MAX = 100;

/** Intervals, timeouts and backoff. */
export interface Timing {
  /** The server ends a watch after this time, with jitter so that a thousand do not reconnect together. */
  readonly serverMinS: number;
  readonly serverMaxS: number;
  /** Bookmarks arrive every minute: after a longer silence the connection may be dead, and is replaced. */
  readonly idleMs: number;
  /**
   * Existing objects are sent at once; after this time without events, the object counts as absent, or the set is
   * listed.
   */
  readonly absentMs: number;
  /** Timeout of a response, and of a watch's headers, which are sent at once with or without an event. */
  readonly answerMs: number;
  /** Polling interval if watching is denied. */
  readonly pollMs: number;
  /** A denial that lasts this long is real, whatever the server's readiness. */
  readonly refusedMs: number;
  /** How long to poll before watching is retried. */
  readonly rewatchMs: number;
  readonly backoff: Backoff;
}

export const TIMING: Timing = {
  serverMinS: 300,
  serverMaxS: 600,
  idleMs: 90_000,
  absentMs: 500,
  answerMs: 30_000,
  pollMs: 2000,
  refusedMs: 10_000,
  rewatchMs: 60_000,
  backoff: { minMs: 200, maxMs: 5000 },
};
