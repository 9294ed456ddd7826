import { UnavailableError } from '../../core/errors.ts';
import { longAfter, unlessAborted } from '../../core/abort.ts';
import { pause } from '../../core/backoff.ts';
import { isPassing, isUndone, reasonOf, type MysqlSession } from '../../mysql/index.ts';
import { renewFence } from './fence.ts';
import { holdsLock } from './lock.ts';

interface RenewalOptions {
  readonly session: MysqlSession;
  readonly lockName: string;
  readonly token: number;
  /** When the statement that took the fence was sent, in terms of performance.now(). */
  readonly takenAt: number;
  /** Lock and fence count as lost if the server has not confirmed them for this long. */
  readonly lossMs: number;
  /** Aborted on shutdown. After that, a renewal's response is awaited only briefly. */
  readonly signal: AbortSignal;
  /** Called for each confirmed renewal with the time at which it was sent, in terms of performance.now(). */
  readonly onConfirmed?: (at: number) => void;
}

/** Renews the fence until it is disposed. */
interface Renewal extends AsyncDisposable {
  /** Aborted as soon as lock or fence are, or may be, no longer ours. The reason is the error with its cause. */
  readonly lost: AbortSignal;
}

const RENEW_MS = 5000;
/** A server that does not respond must not delay our exit. */
const LAST_ANSWER_MS = 1000;
const RENEWALS_PER_LOSS = 4;

/** Several renewals must fit into the time after which the lock counts as lost. */
export function renewEveryMs(lossMs: number): number {
  return Math.min(RENEW_MS, lossMs / RENEWALS_PER_LOSS);
}

/**
 * Starts renewing. Time is measured from the sending of a renewal and not from its confirmation, because other
 * migrators may have seen it since it was sent.
 */
export function startRenewal(options: RenewalOptions): Renewal {
  const over = new AbortController();
  const lost = new AbortController();
  const ended = (async () => {
    const why = await renew(options, over.signal);
    if (why !== undefined) lost.abort(new UnavailableError(`the lock was lost: ${why}`));
  })();
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      over.abort();
      await unlessAborted(ended, longAfter(options.signal, LAST_ANSWER_MS)).catch(() => {});
    },
  };
}

/** Why the lock is lost; undefined after `over` was aborted. */
async function renew(options: RenewalOptions, over: AbortSignal): Promise<string | undefined> {
  const { session, lockName, token, lossMs } = options;
  const everyMs = renewEveryMs(lossMs);
  let confirmedAt = options.takenAt;
  const leftMs = () => Math.max(1, confirmedAt + lossMs - performance.now());
  for (;;) {
    try {
      await pause(Math.min(everyMs, leftMs()), AbortSignal.any([over, session.lost]));
      const askedAt = performance.now();
      const isOurs = await renewFence(session, token, leftMs());
      // A query at this point could run after our final write.
      if (over.aborted) return undefined;
      if (!isOurs) return 'another migrator has taken the fence row';
      if (!(await holdsLock(session, lockName, leftMs()))) return 'the server has given the lock to another session';
      if (over.aborted) return undefined;
      confirmedAt = askedAt;
      options.onConfirmed?.(askedAt);
    } catch (error) {
      if (over.aborted) return undefined;
      const isLeft = performance.now() < confirmedAt + lossMs;
      if (session.lost.aborted || !(isPassing(error) || isUndone(error)) || !isLeft) return reasonOf(error);
    }
    if (over.aborted) return undefined;
  }
}
