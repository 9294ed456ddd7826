import { formatDuration } from '../cli/duration.ts';
import { backoffMs, pause } from '../platform/backoff.ts';
import type { Report } from './waiter.ts';

const TRY_MS = 5000;
const BACKOFF = { minMs: 100, maxMs: 2000 };

/**
 * Asks again until there is nothing to say against it. Each try is bounded: a host that drops packets answers never.
 * @param attempt resolves with why not yet, or undefined when met
 */
export async function retry(
  attempt: (signal: AbortSignal) => Promise<string | undefined>,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; ; n++) {
    const bound = AbortSignal.timeout(TRY_MS);
    const refusal = await attempt(AbortSignal.any([signal, bound]));
    signal.throwIfAborted();
    if (refusal === undefined) return;
    report(bound.aborted ? `no answer in ${formatDuration(TRY_MS)}` : refusal);
    await pause(backoffMs(n, BACKOFF), signal);
  }
}
