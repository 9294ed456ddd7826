import type { Backoff } from '../core/backoff.ts';

/**
 * Maximum number of watches. Each uses a connection, and a goroutine and a buffer in the server; further objects are
 * polled.
 */
export const WATCHES_MAX = 100;

/** Intervals, timeouts and backoff. */
export interface Timing {
  /** Time after which the server ends a watch, with jitter so that a thousand do not reconnect together. */
  readonly serverMinS: number;
  readonly serverMaxS: number;
  /** Bookmarks arrive every minute. After a longer silence the connection may be dead and is replaced. */
  readonly idleMs: number;
  /**
   * Existing objects are sent immediately. After this time without events, the object counts as absent, or the set is
   * listed.
   */
  readonly absentMs: number;
  /** Timeout of a response. The headers of a watch are sent immediately, with or without an event. */
  readonly answerMs: number;
  /** Polling interval while watching is denied. */
  readonly pollMs: number;
  /** A denial that lasts this long is real, whether or not the server reports ready. */
  readonly refusedMs: number;
  /** How long an object is polled before the watch is retried. */
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
