import { formatDuration } from '../core/duration.ts';
import type { Log } from '../core/log.ts';

interface Stopping {
  /** Called when the grace period is exceeded. */
  readonly over: () => void;
  /** What the stop waits for; undefined if it is nothing. */
  readonly awaited: () => string | undefined;
}

/**
 * After a stop, logs what it waits for; when the grace period is exceeded, logs that and calls `over`.
 * @param signal the stop, which may be in the past
 */
export function armGrace(graceMs: number, signal: AbortSignal, log: Log, { over, awaited }: Stopping): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    const what = awaited();
    if (what !== undefined)
      log.info(`stopping: waiting up to ${formatDuration(graceMs)} for ${what}. Ctrl-C or SIGTERM again ends at once`);
    timer = setTimeout(() => {
      log.warn(`grace period of ${formatDuration(graceMs)} exceeded`);
      over();
    }, graceMs);
  };
  if (signal.aborted) arm();
  else signal.addEventListener('abort', arm, { once: true });
  return {
    [Symbol.dispose]() {
      signal.removeEventListener('abort', arm);
      clearTimeout(timer);
    },
  };
}

interface Timeout extends Disposable {
  restart(): void;
}

/** Calls `over` after that time without a restart; never if it is undefined. */
export function armTimeout(ms: number | undefined, over: (ms: number) => void): Timeout {
  const arm = () => (ms === undefined ? undefined : setTimeout(() => over(ms), ms));
  let timer = arm();
  let isOver = false;
  return {
    restart() {
      clearTimeout(timer);
      if (!isOver) timer = arm();
    },
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
