export interface Backoff {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * How long to wait before try `attempt` (0 for the first repetition): doubling from minMs up to maxMs, of which the
 * upper half is random, so that a thousand pods that lost the same server don't come back in the same instant.
 */
export function backoffMs(attempt: number, { minMs, maxMs }: Backoff, random: () => number = Math.random): number {
  const whole = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 30));
  return Math.round(whole / 2 + (whole / 2) * random());
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
