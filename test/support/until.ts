import { setTimeout as sleep } from 'node:timers/promises';
// eslint-disable-next-line import/no-unassigned-import -- arms the watchdog of a file that is run alone
import './file-limit.ts';
import { openWait } from './open-waits.ts';

const POLL_MS = 50;

/**
 * Asks again and again until the answer is not undefined: for what has no event. It has no limit: the file's
 * watchdog (file-limit.ts) ends a file that waits too long, and prints what each wait last saw.
 * @param what for that report: `mariadb to answer`
 * @param ask returns undefined for "not yet"; a throw ends the wait. `saw` keeps what the report should show
 */
export async function until<T>(
  what: string,
  ask: (saw: (value: unknown) => void) => T | undefined | Promise<T | undefined>,
): Promise<T> {
  using wait = openWait(what);
  for (;;) {
    let seen: unknown;
    const answer = await ask((value) => (seen = value));
    if (answer !== undefined) return answer;
    wait.saw(seen);
    await sleep(POLL_MS);
  }
}
