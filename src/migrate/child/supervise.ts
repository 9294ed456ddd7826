import { formatDuration } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { pause } from '../../core/backoff.ts';
import type { GuardedChild } from './guarded-child.ts';

/** How a command under the lock has ended. `code` is its exit code. */
export type Outcome =
  | { readonly state: 'ended'; readonly code: number }
  | { readonly state: 'interrupted'; readonly code: number }
  | { readonly state: 'lost'; readonly code: number; readonly why: string };

/** Base of the exit code of a command that was killed by a signal. */
const KILLED = 128;

/**
 * Whether nothing of a command continues, because it exited by itself. After a kill, its statements may continue in the
 * server.
 */
export function isOverAfter({ state, code }: Outcome): boolean {
  return state === 'ended' && code < KILLED;
}

interface Watch {
  /** Aborted with the reason when lock or fence are lost. */
  readonly lost: AbortSignal;
  /** How long the command may run after `signal` is aborted. */
  readonly graceMs: number;
  /** Time from SIGTERM to SIGKILL. The command must have ended before another migrator may start. */
  readonly stopMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Why a child has ended that has expired. */
export const EXPIRED =
  'the lock was not confirmed in time (was this process frozen?): the command was not started, or its guard has killed it';

/** Waits for the child while lock and fence are held; stops it when they are lost, or on shutdown. */
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
      log.info(`terminating: the command has ${formatDuration(graceMs)} to exit`);
      first = await Promise.race([ended, lost, pause(graceMs, over.signal).then(() => 'aborted' as const)]);
    }
    if (first === 'aborted') {
      log.warn('the command is still running: stopping it');
      return { state: 'interrupted', code: await child.stop(stopMs) };
    }
    // Who terminates us may have sent the command a signal, too. That is not the command's own result.
    if (first.state === 'ended' && first.code >= KILLED && signal.aborted) return { ...first, state: 'interrupted' };
    if ('code' in first) return first;
    log.error(`stopping the command: ${first.why}`);
    return { ...first, code: await child.stop(stopMs) };
  } finally {
    over.abort();
  }
}

/** Resolves when `signal` is aborted, but not after `over` was aborted. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: over });
  });
}
