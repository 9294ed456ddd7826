import type { Backoff } from '../core/backoff.ts';

/** Each holds a connection of ours and a goroutine and a buffer of the server's; what is more is asked for instead. */
export const WATCHES_MAX = 100;

/** When we ask, give up and come back. */
export interface Timing {
  /** The server ends a watch after this, spread so that a thousand don't come back together. */
  readonly serverMinS: number;
  readonly serverMaxS: number;
  /** Bookmarks come each minute: after longer silence the connection may be dead, and is replaced. */
  readonly idleMs: number;
  /** What exists is sent at once; so long without it, it is taken for absent, or asked for by a list. */
  readonly absentMs: number;
  /** The longest that an answer takes, and a watch's headers: these are sent at once, whether or not there is an event. */
  readonly answerMs: number;
  /** Between two questions where watching is not allowed. */
  readonly pollMs: number;
  /** A refusal that has held for so long is meant, whatever the server says of itself. */
  readonly refusedMs: number;
  /** How long to poll before trying whether watching is allowed by now. */
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
