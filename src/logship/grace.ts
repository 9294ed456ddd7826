import { formatDuration } from '../core/duration.ts';
import type { Log } from '../core/log.ts';

/**
 * Says, and calls `over`, when a stop was so long ago.
 * @param signal the stop, which may be past or still to come
 */
export function armGrace(graceMs: number, signal: AbortSignal, log: Log, over: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    timer = setTimeout(() => {
      log.warn(`the grace of ${formatDuration(graceMs)} is over`);
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
