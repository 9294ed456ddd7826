import { setTimeout as sleep } from 'node:timers/promises';
// eslint-disable-next-line import/no-unassigned-import -- arms the watchdog of a file that is run alone
import './file-limit.ts';
import { openWait } from './open-waits.ts';

const POLL_MS = 50;
/** The longest pause after a poll that takes long itself, as one by kubectl does. */
const LONG_POLL_MS = 250;

/**
 * Polls until the result is not undefined: for conditions without an event. It has no timeout: the file's watchdog
 * (file-limit.ts) fails a file that waits too long, and prints each wait's last value.
 * @param what label for that report: `mariadb to answer`
 * @param ask returns undefined for "not yet"; a throw ends the wait. `saw` records a value for the report
 */
export async function until<T>(
  what: string,
  ask: (saw: (value: unknown) => void) => T | undefined | Promise<T | undefined>,
): Promise<T> {
  using wait = openWait(what);
  for (;;) {
    let seen: unknown;
    const began = performance.now();
    const answer = await ask((value) => (seen = value));
    if (answer !== undefined) return answer;
    wait.saw(seen);
    // Otherwise a poll by a program would take most of a CPU from what it waits for.
    const tookMs = performance.now() - began;
    await sleep(Math.min(Math.max(POLL_MS, 2 * tookMs), LONG_POLL_MS));
  }
}
