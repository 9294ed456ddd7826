import { formatDuration } from '../core/duration.ts';
import { backoffMs, pause } from '../core/backoff.ts';
import { lookupWithin } from '../net/dial.ts';
import { pending, type Verdict } from './verdict.ts';
import type { Report } from './waiter.ts';

const TRY_MS = 5000;
const BACKOFF = { minMs: 100, maxMs: 2000 };

/** For what is asked by name: no name server must not look like no answer, which `!` waits for. */
export const lookup = lookupWithin(TRY_MS - 1000);

export interface RetryOptions {
  /** Met when the attempt is not; what an attempt passes over, it could not look at, and is neither. */
  readonly isNegated: boolean;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly backoff?: { readonly minMs: number; readonly maxMs: number };
}

/**
 * Asks again until the answer is right, and resolves with it. Each try is bounded: a host that drops packets answers
 * never. For what tells nobody that it is there.
 */
export async function retry(
  attempt: (signal: AbortSignal) => Promise<Verdict>,
  { isNegated, report, signal, backoff = BACKOFF }: RetryOptions,
): Promise<string> {
  for (let n = 0; ; n++) {
    const bound = AbortSignal.timeout(TRY_MS);
    const answer = await attempt(AbortSignal.any([signal, bound]));
    signal.throwIfAborted();
    const isLate = bound.aborted && answer.is !== 'met';
    const { is, state } = isLate ? pending(`no answer in ${formatDuration(TRY_MS)}`) : answer;
    if (is !== 'passed over' && (is === 'met') !== isNegated) return state;
    report(state);
    await pause(backoffMs(n, backoff), signal);
  }
}
