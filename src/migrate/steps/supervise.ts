import { formatDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { pause } from '../../core/backoff.ts';
import type { GuardedChild } from './guarded-child.ts';

/** How a command under the lock ended. `code` is its exit code. */
export type Outcome =
  | { readonly state: 'ended'; readonly code: number }
  | { readonly state: 'interrupted'; readonly code: number }
  | { readonly state: 'lost'; readonly code: number; readonly why: string };

/** The exit code of one that a signal ended is this and the signal's number. */
const KILLED = 128;

/** Whether nothing of a command goes on: it ended by itself. Of one that was killed, statements may go on in the server. */
export function isOverAfter({ state, code }: Outcome): boolean {
  return state === 'ended' && code < KILLED;
}

interface Watch {
  /** Aborted when lock or fence are no longer ours; its reason says why. */
  readonly lost: AbortSignal;
  /** How long the command may go on after `signal`. */
  readonly graceMs: number;
  /** From SIGTERM to SIGKILL: over before anybody else may begin. */
  readonly stopMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const EXPIRED =
  'the lock was not confirmed in time (was this process frozen?), and the guard of the command has killed it';

/** Waits for the child while the lock and the fence stay ours; stops it when they don't, or when we are to end. */
export async function supervise(child: GuardedChild, watch: Watch): Promise<Outcome> {
  const { signal, graceMs, stopMs, log } = watch;
  const over = new AbortController();
  const ended = child.ended.then((code) =>
    child.hasExpired() ? ({ state: 'lost', code, why: EXPIRED } as const) : ({ state: 'ended', code } as const),
  );
  const lost = aborted(watch.lost, over.signal).then(
    () => ({ state: 'lost', why: messageOf(watch.lost.reason) }) as const,
  );
  try {
    let first = await Promise.race([ended, lost, aborted(signal, over.signal)]);
    if (first === 'aborted') {
      log.info(`asked to end: the command may go on for ${formatDuration(graceMs)}`);
      first = await Promise.race([ended, lost, pause(graceMs, over.signal).then(() => 'aborted' as const)]);
    }
    if (first === 'aborted') {
      log.warn('the command is still running: it is stopped now');
      return { state: 'interrupted', code: await child.stop(stopMs) };
    }
    if ('code' in first) return first;
    log.error(`the command is stopped: ${first.why}`);
    return { ...first, code: await child.stop(stopMs) };
  } finally {
    over.abort();
  }
}

/** Resolves when `signal` is aborted; never, once `over` is. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: over });
  });
}
