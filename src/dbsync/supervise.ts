import { formatDuration } from '../cli/duration.ts';
import type { Log } from '../cli/log.ts';
import { pause } from '../platform/backoff.ts';
import { isPassing, reasonOf, type MysqlSession } from '../platform/mysql/index.ts';
import { renewFence } from './fence.ts';
import type { GuardedChild } from './guarded-child.ts';
import { holdsLock } from './lock.ts';

/** How a command under the lock ended. `code` is its exit code. */
export type Outcome =
  | { readonly state: 'ended'; readonly code: number }
  | { readonly state: 'interrupted'; readonly code: number }
  | { readonly state: 'lost'; readonly code: number; readonly why: string };

export interface Watch {
  readonly session: MysqlSession;
  readonly lockName: string;
  readonly token: number;
  /** The lock counts as lost when the server has not confirmed it for this long. */
  readonly lossMs: number;
  /** How long the command may go on after `signal`. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const RENEW_MS = 5000;
/** Several renewals must fit into the time after which the lock counts as lost. */
const RENEWALS_PER_LOSS = 4;

/** Waits for the child while the lock and the fence stay ours; stops it when they don't, or when we are to end. */
export async function supervise(child: GuardedChild, watch: Watch): Promise<Outcome> {
  const { signal, graceMs, log } = watch;
  const over = new AbortController();
  const ended = child.ended.then((code) => ({ state: 'ended', code }) as const);
  const lost = lockLoss(watch, over.signal).then((why) => ({ state: 'lost', why }) as const);
  try {
    let first = await Promise.race([ended, lost, aborted(signal, over.signal)]);
    if (first === 'aborted') {
      log.info(`asked to end: the command may go on for ${formatDuration(graceMs)}`);
      first = await Promise.race([ended, lost, pause(graceMs, over.signal).then(() => 'aborted' as const)]);
    }
    if (first === 'aborted') {
      log.warn('the command is still running: it is stopped now');
      return { state: 'interrupted', code: await child.stop() };
    }
    if (first.state === 'ended') return first;
    log.error(`the lock is lost, the command is stopped: ${first.why}`);
    return { ...first, code: await child.stop() };
  } finally {
    over.abort();
  }
}

/** Resolves with the reason when the lock or the fence is no longer ours; never, once `over` is aborted. */
async function lockLoss({ session, lockName, token, lossMs }: Watch, over: AbortSignal): Promise<string> {
  const everyMs = Math.min(RENEW_MS, lossMs / RENEWALS_PER_LOSS);
  let confirmedAt = performance.now();
  for (;;) {
    try {
      await pause(everyMs, AbortSignal.any([over, session.lost]));
      const askedAt = performance.now();
      const leftMs = Math.max(1, confirmedAt + lossMs - askedAt);
      if (!(await renewFence(session, token, leftMs))) return 'somebody else has taken the fence row';
      if (!(await holdsLock(session, lockName, leftMs))) return 'the server has given the lock to another session';
      confirmedAt = askedAt;
    } catch (error) {
      if (over.aborted) return await new Promise<never>(() => {});
      const isLeft = performance.now() < confirmedAt + lossMs;
      if (session.lost.aborted || !isPassing(error) || !isLeft) return reasonOf(error);
    }
  }
}

/** Resolves when `signal` is aborted; never, once `over` is. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: over });
  });
}
