export interface Backoff {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * The delay before retry `attempt` (0 is the first retry): doubles from minMs up to maxMs; the upper half is random, so
 * that a thousand Pods that lost the same server do not reconnect at the same instant.
 */
export function backoffMs(attempt: number, { minMs, maxMs }: Backoff): number {
  const whole = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 30));
  return Math.round(whole / 2 + (whole / 2) * Math.random());
}

/** Sleeps; rejects with the signal's reason when it is aborted. */
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
